#include "config/schema.h"

#include <algorithm>

namespace sluice {

const SchemaOption* ConfigSchema::find(std::string_view kind, std::string_view path) const {
  for (const SchemaSection& section : sections) {
    if (section.kind != kind) continue;
    for (const SchemaOption& option : section.options) {
      if (option.text.path == path) return &option;
    }
  }
  return nullptr;
}

const std::string* ConfigSchema::refusal(std::string_view path) const {
  const auto found = std::find_if(refused.begin(), refused.end(),
                                  [&](const RefusedKey& key) { return key.path == path; });
  return found == refused.end() ? nullptr : &found->message;
}

std::vector<std::string> ConfigSchema::keys(std::string_view kind, std::string_view path) const {
  const std::string front = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string> keys;
  for (const SchemaSection& section : sections) {
    if (section.kind != kind) continue;
    for (const SchemaOption& option : section.options) {
      if (!option.text.path.starts_with(front)) continue;
      const std::string rest = option.text.path.substr(front.size());
      std::string key = rest.substr(0, rest.find('.'));
      if (keys.empty() || keys.back() != key) keys.push_back(std::move(key));
    }
  }
  return keys;
}

ConfigSchema config_schema() {
  ConfigSchema schema;
  schema.sections.push_back(window_section());
  for (auto& section : sensor_sections()) schema.sections.push_back(std::move(section));
  for (auto& section : own_sensor_sections()) schema.sections.push_back(std::move(section));
  for (auto& section : service_sections()) schema.sections.push_back(std::move(section));
  schema.refused = refused_keys();
  return schema;
}

}  // namespace sluice
