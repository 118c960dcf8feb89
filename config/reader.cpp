#include "config/reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/suggest.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestName = 64;

/// A map in the file and in the schema, where the name of somebody's own sensor is NAME.
struct Place {
  std::string path;     ///< "sensors.licences"
  std::string pattern;  ///< "sensors.NAME"
  std::string kind;     ///< Of somebody's own sensor; otherwise empty.
  std::string name;     ///< Of somebody's own sensor; otherwise empty.

  Place at(const std::string& key) const {
    const std::string joint = path.empty() ? "" : ".";
    return {path + joint + key, pattern + joint + key, kind, name};
  }
};

std::string describe_node(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "empty";
    case YamlNode::Kind::scalar:
      return quote_text(node.text);
    case YamlNode::Kind::list:
      return node.items.empty() ? "an empty list" : "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return "";
}

std::string with_article(const std::string& type) {
  if (type == "points") return type;
  return (type.starts_with('a') ? "an " : "a ") + type;
}

std::string complaint(const std::string& path, const ValueError& error, const YamlNode& node) {
  return path + " " + error.expected + "; is " + describe_node(node) +
         (error.hint.empty() ? "" : "; " + error.hint);
}

bool is_sensor_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  return !name.empty() && name.size() <= kLongestName &&
         name.find_first_not_of(kLetters) == name.npos;
}

const YamlEntry* find_entry(const YamlNode& map, std::string_view key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

class DocumentReader {
 public:
  DocumentReader(const ConfigSchema& schema, Config& config) : schema_(schema), config_(config) {}

  void read_map(const Place& place, const YamlNode& map) {
    for (const YamlEntry& entry : map.entries) read_entry(place, entry);
  }

  void fail(ConfigPosition at, std::string message) {
    errors_.push_back({config_.file, at.line, at.column, std::move(message)});
  }

  std::vector<ConfigError> take_errors() { return std::move(errors_); }

 private:
  void read_entry(const Place& parent, const YamlEntry& entry) {
    // A dot in a key must not reach into another section.
    if (entry.key.find('.') != entry.key.npos) return refuse_key(parent, entry);
    const Place place = parent.at(entry.key);
    if (const std::string* refusal = schema_.refusal(place.path)) return fail(entry.at, *refusal);
    if (const SchemaOption* option = schema_.find(place.kind, place.pattern)) {
      return read_value(*option, place, entry.value);
    }
    if (!schema_.keys(place.kind, place.pattern).empty()) return read_section(place, entry.value);
    if (parent.path == "sensors") return read_own_sensor(place, entry);
    refuse_key(parent, entry);
  }

  void read_section(const Place& place, const YamlNode& node) {
    const SchemaOption* presence = schema_.find(place.kind, place.pattern + ".presence");
    if (node.kind == YamlNode::Kind::map) {
      read_map(place, node);
    } else if (node.kind == YamlNode::Kind::scalar && presence != nullptr) {
      read_switch(*presence, place, node);
    } else if (node.kind != YamlNode::Kind::null) {
      const std::string expected =
          presence != nullptr ? "must be on, off or a map of keys" : "must be a map of keys";
      fail(node.at, complaint(place.path, {expected, ""}, node));
    }
  }

  /// `load: off` for `load: {presence: off}`.
  void read_switch(const SchemaOption& presence, const Place& place, const YamlNode& node) {
    if (const auto given = parse_switch(node.text); std::holds_alternative<ValueError>(given)) {
      return fail(node.at, complaint(place.path, {"must be on, off or a map of keys", ""}, node));
    }
    read_value(presence, place.at("presence"), node);
  }

  void read_value(const SchemaOption& option, const Place& place, const YamlNode& node) {
    if (auto error = judge_kind(option, node)) {
      return fail(node.at, complaint(place.path, *error, node));
    }
    if (auto error = option.read(config_, place.name, node)) {
      return fail(node.at, complaint(place.path, *error, node));
    }
    config_.given[place.path] = node.at;
  }

  /// What the types themselves do not look at.
  static std::optional<ValueError> judge_kind(const SchemaOption& option, const YamlNode& node) {
    using Kind = YamlNode::Kind;
    const bool listed = option.type.starts_with("list");
    if (node.kind == Kind::scalar || (listed && node.kind == Kind::list)) return std::nullopt;
    if (node.kind == Kind::null && option.null == Null::fallback) return std::nullopt;
    const std::string example =
        option.text.example.empty() ? "" : " such as " + option.text.example;
    return ValueError{"must be " + with_article(option.type) + example, ""};
  }

  void read_own_sensor(const Place& place, const YamlEntry& entry) {
    const std::string& name = entry.key;
    const YamlEntry* kind = find_entry(entry.value, "kind");
    if (kind == nullptr) return refuse_sensor(entry);
    if (!is_sensor_name(name)) {
      return fail(entry.at, "sensor name " + quote_text(name) +
                                " must be of a-z, 0-9 and _, and at most 64 letters");
    }
    const auto word = parse_word(kind->value.text, {"file", "command"});
    if (auto* error = std::get_if<ValueError>(&word)) {
      return fail(kind->value.at, complaint(place.path + ".kind", *error, kind->value));
    }
    if (kind->value.text == "file") config_.governing.sensors.files[name];
    if (kind->value.text == "command") config_.governing.sensors.commands[name];
    const Place own{place.path, "sensors.NAME", kind->value.text, name};
    read_map(own, entry.value);
    require_keys(own, entry);
  }

  void require_keys(const Place& own, const YamlEntry& entry) {
    for (const std::string& key : schema_.keys(own.kind, own.pattern)) {
      const SchemaOption* option = schema_.find(own.kind, own.pattern + "." + key);
      if (option->required && find_entry(entry.value, key) == nullptr) {
        fail(entry.at, own.path + " needs `" + key + "`, as it is of kind " + own.kind);
      }
    }
  }

  void refuse_sensor(const YamlEntry& entry) {
    const auto meant = closest_word(entry.key, schema_.keys("", "sensors"));
    fail(entry.at, "unknown sensor " + quote_text(entry.key) + "; " +
                       (meant ? "did you mean `" + *meant + "`? A" : "a") +
                       " sensor of your own needs `kind: file` or `kind: command`");
  }

  void refuse_key(const Place& parent, const YamlEntry& entry) {
    const std::vector<std::string> known = schema_.keys(parent.kind, parent.pattern);
    const auto meant = closest_word(entry.key, known);
    fail(entry.at,
         "unknown key " + quote_text(entry.key) + "; " +
             (meant ? "did you mean `" + *meant + "`?" : "known here: " + join_words(known)));
  }

  const ConfigSchema& schema_;
  Config& config_;
  std::vector<ConfigError> errors_;
};

}  // namespace

std::vector<ConfigError> read_document(const ConfigSchema& schema, const YamlNode& root,
                                       Config& config) {
  DocumentReader reader(schema, config);
  if (root.kind == YamlNode::Kind::map) {
    reader.read_map({}, root);
  } else if (root.kind != YamlNode::Kind::null) {
    reader.fail(root.at,
                "the file must be a map of keys such as `window:`; is " + describe_node(root));
  }
  return reader.take_errors();
}

}  // namespace sluice
