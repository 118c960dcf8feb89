#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/option_types.h"

namespace sluice {

/// A default that depends on the machine or on other given values, and its origin.
struct SettledDefault {
  std::string value;
  std::string origin;  ///< "default", "default for 2 CPUs"
};

/// The documentation of an option.
struct OptionText {
  std::string path;      ///< "window.initial"; "sensors.NAME.limit" for a user's own sensor.
  std::string fallback;  ///< The default: YAML, or prose if it is settled later.
  std::string doc;       ///< What the option does, and why its default is what it is.
  std::string example;   ///< A value as YAML.
};

/// Whether `null` may stand for the default (never for a required option).
enum class Null { refused, fallback };

/// Everything known about one option.
struct SchemaOption {
  OptionText text;
  std::string type;     ///< "duration"
  std::string allowed;  ///< "at least 10ms and at most 1h"
  Null null = Null::refused;
  bool required = false;
  bool common = false;         ///< Whether every sensor has this option.
  bool unused_by_rfc = false;  ///< Whether the control law `rfc` has no use for it.
  /// Stores the value, or returns the error in it. `name` is the name of a user's own sensor.
  std::function<std::optional<ValueError>(Config&, const std::string& name, const YamlNode&)> read;
  /// For a list or a map: the error in one part; the reader judges all parts before `read`.
  std::function<std::optional<ValueError>(const std::string& key, const YamlNode&)> judge_part = {};
  /// The value as YAML; nullopt if the default holds and is not in the struct.
  std::function<std::optional<std::string>(const Config&, const std::string& name)> show = {};
  /// The default on this machine; empty if `text.fallback` holds on every machine.
  std::function<SettledDefault(const Config&, const std::string& name)> settle = {};
};

/// The option with `null` for its default.
SchemaOption nullable(SchemaOption option);

/// The option as one that every member of its section needs.
SchemaOption required(SchemaOption option);

/// The kind of a section's members, which is `text.example`; required unless there is a fallback.
/// Stores nothing: the reader has already read it, since it decides which keys may follow.
SchemaOption kind_option(OptionText text, std::string allowed);

/// For a section that may appear any number of times, once for each name.
struct SchemaMembers {
  std::function<std::vector<std::string>(const Config&)> names;
  std::function<void(Config&, const std::string& name)> add;
};

/// A group of options in a file.
struct SchemaSection {
  std::string path;  ///< "window"; "queues.NAME"; empty for the top level.
  std::string kind;  ///< "file" for a user's own sensor, "quantity" for a manager; often empty.
  std::string doc;
  std::vector<SchemaOption> options;
  std::optional<SchemaMembers> members = {};  ///< Present if the path contains NAME.
};

/// A map or list whose members the user names.
struct SchemaCollection {
  enum class Form { map, list };
  std::string path;  ///< "queues"
  Form form = Form::map;
  std::vector<std::string> kinds;  ///< Of its members; empty if all are of one kind.
  std::string default_kind;
  std::string (*problem_of_name)(std::string_view) = nullptr;
  void (*clear)(Config&) = nullptr;  ///< Removes the default members, which given ones replace.
};

/// All sections, or all options, of the parts in their order.
template <typename T, typename... Others>
std::vector<T> joined(std::vector<T> first, Others... others) {
  (std::ranges::move(others, std::back_inserter(first)), ...);
  return first;
}

/// The names of a list's members: "0", "1" and so on.
std::vector<std::string> indices(std::size_t members);

/// Replaces NAME: "queues.nightly.paused" for "queues.NAME.paused"; in a list "rules[0].do".
std::string path_of(const std::string& pattern, const std::string& name);

/// A key with an error message of its own instead of "unknown key".
struct RefusedKey {
  std::string path;
  std::string message;
};

struct ConfigSchema {
  std::vector<SchemaSection> sections;
  std::vector<SchemaCollection> collections;
  std::vector<RefusedKey> refused;

  const SchemaCollection* collection(std::string_view path) const;
  const SchemaSection* section(std::string_view kind, std::string_view path) const;
  const SchemaOption* find(std::string_view kind, std::string_view path) const;
  const std::string* refusal(std::string_view path) const;
  /// The keys allowed in the map at `path`; empty if no map is allowed there.
  std::vector<std::string> keys(std::string_view kind, std::string_view path) const;
};

/// The one table of all options, in the order of the reference; made by the first call. Any thread.
const ConfigSchema& config_schema();

}  // namespace sluice
