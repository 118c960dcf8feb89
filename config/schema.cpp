#include "config/schema.h"

#include <algorithm>
#include <utility>

#include "base/values.h"
#include "config/schema_sections.h"
#include "config/schema_sensors.h"

namespace sluice {

SchemaOption nullable(SchemaOption option) {
  option.null = Null::fallback;
  return option;
}

SchemaOption required(SchemaOption option) {
  option.required = true;
  return option;
}

SchemaOption kind_option(OptionText text, std::string allowed) {
  const auto read = [](Config&, const std::string&, const YamlNode&) { return std::nullopt; };
  const auto show = [kind = text.example](const Config&, const std::string&) { return kind; };
  const bool is_required = text.fallback.empty();
  return {.text = std::move(text),
          .type = "word",
          .allowed = std::move(allowed),
          .required = is_required,
          .read = read,
          .show = show};
}

std::vector<std::string> indices(std::size_t members) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < members; ++at) names.push_back(std::to_string(at));
  return names;
}

std::string path_of(const std::string& pattern, const std::string& name) {
  constexpr std::string_view kMember = ".NAME";
  const std::size_t place = pattern.find(kMember);
  if (place == pattern.npos) return pattern;
  const bool listed = pattern.starts_with("rules.") || pattern.starts_with("work_sources.");
  const std::string member = listed ? "[" + name + "]" : "." + print_path_name(name);
  return pattern.substr(0, place) + member + pattern.substr(place + kMember.size());
}

const SchemaCollection* ConfigSchema::collection(std::string_view path) const {
  const auto found = std::ranges::find(collections, path, &SchemaCollection::path);
  return found == collections.end() ? nullptr : &*found;
}

const SchemaSection* ConfigSchema::section(std::string_view kind, std::string_view path) const {
  const auto found = std::ranges::find_if(sections, [&](const SchemaSection& other) {
    return other.kind == kind && other.path == path;
  });
  return found == sections.end() ? nullptr : &*found;
}

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
  const auto found = std::ranges::find(refused, path, &RefusedKey::path);
  return found == refused.end() ? nullptr : &found->message;
}

std::vector<std::string> ConfigSchema::keys(std::string_view kind, std::string_view path) const {
  const std::string front = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string> keys;
  for (const SchemaSection& section : sections) {
    if (section.kind != kind && !path.empty()) continue;
    for (const SchemaOption& option : section.options) {
      if (!option.text.path.starts_with(front)) continue;
      const std::string rest = option.text.path.substr(front.size());
      std::string key = rest.substr(0, rest.find('.'));
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    }
  }
  return keys;
}

namespace {

ConfigSchema whole_schema() {
  ConfigSchema schema;
  schema.sections =
      joined(std::vector{window_section()}, sensor_sections(), own_sensor_sections(),
             contention_sections(), queueing_sections(), cost_sections(), service_sections(),
             work_source_sections(), std::vector{build_section(), autoscale_section()});
  schema.collections = queueing_collections();
  schema.collections.push_back(work_source_collection());
  schema.refused = refused_keys();
  return schema;
}

}  // namespace

const ConfigSchema& config_schema() {
  static const ConfigSchema schema = whole_schema();
  return schema;
}

}  // namespace sluice
