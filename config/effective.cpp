#include "config/effective.h"

#include <algorithm>

#include "base/utf8.h"
#include "config/schema.h"

namespace sluice {
namespace {

std::string print_position(const Config& config, ConfigPosition at) {
  return config.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string print_default_origin(const Config& config, const SchemaOption& option) {
  const bool is_unused = option.unused_by_rfc && config.governing.window.law == Law::rfc;
  return is_unused ? "default, unused by rfc" : "default";
}

EffectiveValue effective_value(const Config& config, const SchemaOption& option,
                               const std::string& name) {
  EffectiveValue effective;
  effective.path = path_of(option.text.path, name);
  const auto shown = option.show(config, name);
  const auto given = config.given.find(effective.path);
  effective.origin = given != config.given.end() ? print_position(config, given->second)
                                                 : print_default_origin(config, option);
  if (!shown && option.settle) {
    const SettledDefault settled = option.settle(config, name);
    if (settled.origin != "default") effective.origin = settled.origin;
    effective.value = settled.value;
    return effective;
  }
  effective.value = shown.value_or(option.text.fallback);
  return effective;
}

/// Widths count characters: a path or a name may contain non-ASCII ones.
std::size_t width(std::string_view text) {
  const auto continuing = std::count_if(text.begin(), text.end(), continues_utf8);
  return text.size() - static_cast<std::size_t>(continuing);
}

std::string pad(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, width(text)), ' ');
}

}  // namespace

std::vector<EffectiveValue> effective_values(const Config& config) {
  std::vector<EffectiveValue> values;
  for (const SchemaSection& section : config_schema().sections) {
    const std::vector<std::string> nameless{""};
    for (const std::string& name : section.members ? section.members->names(config) : nameless) {
      for (const SchemaOption& option : section.options) {
        values.push_back(effective_value(config, option, name));
      }
    }
  }
  return values;
}

std::string describe(const Config& config) {
  // A longer value, such as a list of paths, shifts only its own line.
  constexpr std::size_t kWidestValue = 24;
  const std::vector<EffectiveValue> values = effective_values(config);
  std::size_t path_width = 0, value_width = 0;
  for (const EffectiveValue& value : values) {
    path_width = std::max(path_width, width(value.path));
    value_width = std::max(value_width, std::min(kWidestValue, width(value.value)));
  }
  std::string table;
  for (const EffectiveValue& value : values) {
    table += pad(value.path, path_width) + "  " + pad(value.value, value_width) + "  " +
             value.origin + "\n";
  }
  return table;
}

}  // namespace sluice
