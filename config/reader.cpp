#include "config/reader.h"

#include <optional>
#include <utility>

#include "base/suggest.h"
#include "config/complaint.h"
#include "config/name_check.h"

namespace sluice {
namespace {

/// A map in the file and its pattern in the schema, in which NAME stands for the user's name.
struct Place {
  std::string path;     ///< "sensors.licences"
  std::string pattern;  ///< "sensors.NAME"
  std::string kind;     ///< Kind of a user's own sensor or manager; else empty.
  std::string name;     ///< What NAME stands for; else empty.

  Place at(const std::string& key) const {
    const std::string joint = path.empty() ? "" : ".";
    return {path + joint + key, pattern + joint + key, kind, name};
  }
};

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
    // A dot in a key must not address another section.
    if (entry.key.find('.') != entry.key.npos) return refuse_key(parent, entry);
    const Place place = parent.at(entry.key);
    const SchemaCollection* members = schema_.collection(place.pattern);
    if (members != nullptr) return read_members(*members, entry.value);
    if (const std::string* refusal = schema_.refusal(place.path)) return fail(entry.at, *refusal);
    if (const SchemaOption* option = schema_.find(place.kind, place.pattern)) {
      return read_value(*option, place, entry.value);
    }
    if (!schema_.keys(place.kind, place.pattern).empty()) return read_section(place, entry.value);
    if (parent.path == "sensors") return read_own_sensor(place, entry);
    refuse_key(parent, entry);
  }

  /// The option that a section's one-word form sets: `load: off` is `load: {presence: off}`,
  /// `contention: hold` is `contention: {mode: hold}`.
  const SchemaOption* short_option(const Place& place) const {
    const SchemaOption* presence = schema_.find(place.kind, place.pattern + ".presence");
    return presence != nullptr ? presence : schema_.find(place.kind, place.pattern + ".mode");
  }

  void read_section(const Place& place, const YamlNode& node) {
    const SchemaOption* word = short_option(place);
    if (node.kind == YamlNode::Kind::map) {
      read_map(place, node);
    } else if (node.kind == YamlNode::Kind::scalar && word != nullptr) {
      read_word(*word, place, node);
    } else if (node.kind != YamlNode::Kind::null) {
      fail(node.at, complaint(place.path, {expected_of(word), ""}, node));
    }
  }

  static std::string expected_of(const SchemaOption* word) {
    if (word == nullptr) return "must be a map of keys";
    const bool presence = word->text.path.ends_with(".presence");
    return presence ? "must be on, off or a map of keys"
                    : "must be off, order, hold or a map of keys";
  }

  void read_word(const SchemaOption& word, const Place& place, const YamlNode& node) {
    const bool is_switch = std::holds_alternative<Presence>(parse_switch(node.text));
    const bool presence = word.text.path.ends_with(".presence");
    if (presence && !is_switch) {
      return fail(node.at, complaint(place.path, {expected_of(&word), ""}, node));
    }
    read_value(word, place.at(presence ? "presence" : "mode"), node);
  }

  void read_members(const SchemaCollection& collection, const YamlNode& node) {
    using Form = SchemaCollection::Form;
    const auto kind = collection.form == Form::map ? YamlNode::Kind::map : YamlNode::Kind::list;
    if (node.kind == YamlNode::Kind::null) return;
    if (node.kind != kind) {
      const std::string form = collection.form == Form::map ? "map by name" : "list of maps";
      return fail(node.at, complaint(collection.path, {"must be a " + form, ""}, node));
    }
    const bool given = !node.entries.empty() || !node.items.empty();
    if (given && collection.clear != nullptr) collection.clear(config_);
    for (const YamlEntry& entry : node.entries) read_named(collection, entry);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Place place{path_of_item(collection.path, i), collection.path + ".NAME", "",
                        std::to_string(i)};
      read_member(place, node.items[i].at, node.items[i]);
    }
  }

  void read_named(const SchemaCollection& collection, const YamlEntry& entry) {
    const std::string& name = entry.key;
    if (const std::string problem = collection.problem_of_name(name); !problem.empty()) {
      return fail(entry.at,
                  collection.path + " has a bad name " + quote_text(name) + ": " + problem);
    }
    Place place{path_of_entry(collection.path, name), collection.path + ".NAME",
                collection.default_kind, name};
    if (const YamlEntry* kind = find_entry(entry.value, "kind");
        !collection.kinds.empty() && kind) {
      const auto word = parse_word(kind->value.text, collection.kinds);
      if (const auto* error = std::get_if<ValueError>(&word)) {
        // Whatever kind was meant, references to its name are valid.
        schema_.section(place.kind, place.pattern)->members->add(config_, name);
        return fail(kind->value.at, complaint(place.path + ".kind", *error, kind->value));
      }
      place.kind = kind->value.text;
    }
    read_member(place, entry.at, entry.value);
  }

  void read_member(const Place& place, ConfigPosition at, const YamlNode& node) {
    schema_.section(place.kind, place.pattern)->members->add(config_, place.name);
    config_.has_settings = true;
    if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null) {
      return fail(node.at, complaint(place.path, {"must be a map of keys", ""}, node));
    }
    read_map(place, node);
    require_keys(place, at, node);
  }

  void read_value(const SchemaOption& option, const Place& place, const YamlNode& node) {
    if (auto error = judge(option, node)) {
      return fail(node.at, complaint(place.path, *error, node));
    }
    if (option.judge_part && !judge_parts(option, place, node)) return;
    if (auto error = option.read(config_, place.name, node)) {
      return fail(node.at, complaint(place.path, *error, node));
    }
    config_.given[place.path] = node.at;
    config_.has_settings = true;
    for_each_part(place.path, node,
                  [&](const std::string& path, const std::string&, const YamlNode& part) {
                    if (option.judge_part) config_.given[path] = part.at;
                  });
  }

  /// Reports all errors in the parts of a list or a map. Returns whether there were none.
  bool judge_parts(const SchemaOption& option, const Place& place, const YamlNode& node) {
    const std::size_t before = errors_.size();
    for_each_part(place.path, node,
                  [&](const std::string& path, const std::string& key, const YamlNode& part) {
                    auto error = option.judge_part(key, part);
                    if (error) fail(part.at, complaint(path, *error, part));
                  });
    return errors_.size() == before;
  }

  static std::optional<ValueError> judge(const SchemaOption& option, const YamlNode& node) {
    const bool none = node.kind == YamlNode::Kind::null;
    if (none && option.null == Null::fallback) return std::nullopt;
    return judge_kind(option.type, option.text.example, node);
  }

  void read_own_sensor(const Place& place, const YamlEntry& entry) {
    const std::string& name = entry.key;
    const YamlEntry* kind = find_entry(entry.value, "kind");
    if (kind == nullptr) return refuse_sensor(entry);
    if (const std::string problem = problem_of_sensor_name(name); !problem.empty()) {
      return fail(entry.at, "sensor name " + quote_text(name) + " " + problem);
    }
    const auto word = parse_word(kind->value.text, {"file", "command"});
    if (auto* error = std::get_if<ValueError>(&word)) {
      return fail(kind->value.at, complaint(place.path + ".kind", *error, kind->value));
    }
    if (kind->value.text == "file") config_.governing.sensors.files[name];
    if (kind->value.text == "command") config_.governing.sensors.commands[name];
    const Place own{place.path, "sensors.NAME", kind->value.text, name};
    read_map(own, entry.value);
    require_keys(own, entry.at, entry.value);
  }

  void require_keys(const Place& own, ConfigPosition at, const YamlNode& node) {
    for (const std::string& key : schema_.keys(own.kind, own.pattern)) {
      const SchemaOption* option = schema_.find(own.kind, own.pattern + "." + key);
      if (option == nullptr || !option->required || find_entry(node, key) != nullptr) continue;
      const std::string reason = own.kind.empty() ? "" : ", as it is of kind " + own.kind;
      fail(at, own.path + " needs `" + key + "`" + reason);
    }
  }

  void refuse_sensor(const YamlEntry& entry) {
    const auto meant = closest_word(entry.key, schema_.keys("", "sensors"));
    fail(entry.at, "unknown sensor " + quote_text(entry.key) + "; " +
                       (meant ? "did you mean `" + *meant + "`? A" : "a") +
                       " sensor of your own needs `kind: file` or `kind: command`");
  }

  void refuse_key(const Place& parent, const YamlEntry& entry) {
    fail(entry.at, unknown_key(entry.key, schema_.keys(parent.kind, parent.pattern)));
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
