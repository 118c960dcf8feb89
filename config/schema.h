#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/option_types.h"

namespace sluice {

/// A default that depends on the machine or on what else was given, and why it is what it is.
struct SettledDefault {
  std::string value;
  std::string origin;  ///< "default", "default for 2 CPUs"
};

/// What people are told of an option.
struct OptionText {
  std::string path;      ///< "window.initial"; "sensors.NAME.limit" of somebody's own sensor.
  std::string fallback;  ///< The default: YAML, or prose where it is settled later.
  std::string doc;       ///< What it does, and why the default is what it is.
  std::string example;   ///< A value as YAML.
};

/// Whether `null` may stand for the default (of a required option: never).
enum class Null { refused, fallback };

/// One option: everything that is known of it.
struct SchemaOption {
  OptionText text;
  std::string type;     ///< "duration"
  std::string allowed;  ///< "at least 10ms and at most 1h"
  Null null = Null::refused;
  bool required = false;
  bool common = false;          ///< One of those that every sensor has.
  std::optional<Law> only_for;  ///< The control law that uses it; none: both.
  /// Stores the value, or says what is wrong with it. `name` is that of somebody's own sensor.
  std::function<std::optional<ValueError>(Config&, const std::string& name, const YamlNode&)> read;
  /// Of a list or a map: what is wrong with one part of it; the parts are judged before `read`.
  std::function<std::optional<ValueError>(const std::string& key, const YamlNode&)> judge_part;
  /// The value as YAML; none where the default holds and is not in the struct.
  std::function<std::optional<std::string>(const Config&, const std::string& name)> show;
  /// The default on this machine; empty where `text.fallback` is it everywhere.
  std::function<SettledDefault(const Config&, const std::string& name)> settle;
};

/// Of a section that stands in a file as often as somebody wants: once for each name.
struct SchemaMembers {
  std::function<std::vector<std::string>(const Config&)> names;
  std::function<void(Config&, const std::string& name)> add;
};

/// Options that stand together in a file.
struct SchemaSection {
  std::string path;  ///< "window"; "queues.NAME"; empty: the top level.
  std::string kind;  ///< "file" of somebody's own sensor, "quantity" of a manager; often empty.
  std::string doc;
  std::vector<SchemaOption> options;
  std::optional<SchemaMembers> members = {};  ///< Where the path has NAME in it.
};

/// A map, or a list, of things that somebody names.
struct SchemaCollection {
  enum class Form { map, list };
  std::string path;  ///< "queues"
  Form form = Form::map;
  std::vector<std::string> kinds;  ///< Of its members; none: they are all of one kind.
  std::string default_kind;
  std::string (*problem_of_name)(std::string_view) = nullptr;
  void (*clear)(Config&) = nullptr;  ///< What is given replaces all that is there by default.
};

/// "queues.nightly.paused" for NAME in "queues.NAME.paused"; in a list "rules[0].do".
std::string path_of(const std::string& pattern, const std::string& name);

/// A key that gets an answer of its own instead of "unknown key".
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
  /// The keys that may stand in the map at `path`; none if no map may stand there.
  std::vector<std::string> keys(std::string_view kind, std::string_view path) const;
};

/// The one table of all options, in the order of the reference.
ConfigSchema config_schema();

// Its parts.
SchemaSection window_section();
std::vector<SchemaSection> sensor_sections();
std::vector<SchemaSection> own_sensor_sections();
std::vector<SchemaSection> cost_sections();
std::vector<SchemaSection> service_sections();
std::vector<SchemaSection> contention_sections();
std::vector<SchemaSection> queueing_sections();
std::vector<SchemaSection> rule_sections();
std::vector<SchemaSection> work_source_sections();
SchemaSection autoscale_section();
std::vector<SchemaCollection> queueing_collections();
SchemaCollection work_source_collection();
std::vector<RefusedKey> refused_keys();

/// An option whose place is given by `field(config, name)`, which returns a reference to a T, an
/// optional<T>, or anything a T can be assigned to.
template <typename T, typename Field>
SchemaOption make_option(OptionText text, ValueType<T> type, Field field) {
  SchemaOption option;
  option.text = std::move(text);
  option.type = type.name;
  option.allowed = type.allowed;
  option.judge_part = type.judge_part;
  option.read = [read = type.read, field](Config& config, const std::string& name,
                                          const YamlNode& node) -> std::optional<ValueError> {
    auto& place = field(config, name);
    if (node.kind == YamlNode::Kind::null) {
      place = std::remove_cvref_t<decltype(place)>{};
      return std::nullopt;
    }
    auto value = read(node);
    if (auto* error = std::get_if<ValueError>(&value)) return std::move(*error);
    place = std::move(std::get<T>(value));
    return std::nullopt;
  };
  option.show = [print = type.print, field](const Config& config,
                                            const std::string& name) -> std::optional<std::string> {
    const auto& place = field(config, name);
    if constexpr (requires { place.has_value(); }) {
      return place ? std::optional(print(*place)) : std::nullopt;
    } else {
      return print(place);
    }
  };
  return option;
}

}  // namespace sluice
