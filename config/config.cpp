#include "config/config.h"

#include <utility>

#include "config/contradictions.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/schema.h"
#include "config/source_text.h"

namespace sluice {

std::string to_string(const ConfigError& error) {
  std::string place;
  if (error.line > 0) {
    const std::string column = error.column > 0 ? std::to_string(error.column) + ":" : "";
    place = std::to_string(error.line) + ":" + column + " ";
  }
  return error.file + ":" + (error.line > 0 ? "" : " ") + place + error.message;
}

Config read_config_tree(const YamlNode& root, Config config, std::vector<ConfigError>& errors) {
  for (ConfigError& error : read_document(config_schema(), root, config)) {
    errors.push_back(std::move(error));
  }
  for (ConfigError& error : find_contradictions(config)) errors.push_back(std::move(error));
  return config;
}

namespace {

/// The value at a path of keys, made if there is none.
YamlNode& node_at(YamlNode& root, std::string_view path) {
  YamlNode* node = &root;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (node->kind != YamlNode::Kind::map) *node = YamlNode{};
    node->kind = YamlNode::Kind::map;
    const auto found = std::ranges::find(node->entries, key, &YamlEntry::key);
    node = found != node->entries.end() ? &found->value
                                        : &node->entries.emplace_back(YamlEntry{key, {}, {}}).value;
  }
  return *node;
}

PartialConfig parse_partial_config(std::string_view text, std::string file_name, double cpus,
                                   const std::vector<ConfigSetting>& settings = {}) {
  PartialConfig reading;
  if (text.size() > kMostConfigBytes) {
    reading.errors = {{file_name, 0, 0, larger_than(kMostConfigBytes)}};
    return reading;
  }
  DocumentResult result = parse_document(text);
  if (const auto* error = std::get_if<DocumentError>(&result)) {
    reading.errors = {in_file(file_name, *error)};
    return reading;
  }
  auto& document = std::get<YamlDocument>(result);
  for (const ConfigSetting& each : settings) {
    DocumentResult value = parse_document(each.value);
    if (const auto* error = std::get_if<DocumentError>(&value)) {
      reading.errors = {{file_name, 0, 0, each.path + ": " + error->message}};
      return reading;
    }
    YamlNode& node = node_at(document.root, each.path);
    node = std::move(std::get<YamlDocument>(value).root);
    node.at = {};
  }
  for (const DocumentError& repeated : document.repeated) {
    reading.errors.push_back(in_file(file_name, repeated));
  }
  Config defaults;
  defaults.file = std::move(file_name);
  defaults.cpus = cpus;
  defaults.text = text;
  reading.config = read_config_tree(document.root, std::move(defaults), reading.errors);
  // A truncated file may end after a section's name. `{}` explicitly means all defaults.
  const bool has_sections = !document.root.entries.empty();
  const bool is_there =
      document.root.kind != YamlNode::Kind::null && (!has_sections || reading.config.has_settings);
  reading.config.content = is_there ? Config::Content::document : Config::Content::nothing;
  return reading;
}

ConfigResult result_of(PartialConfig reading) {
  if (reading.errors.empty()) return std::move(reading.config);
  return sorted_by_position(std::move(reading.errors));
}

}  // namespace

ConfigResult parse_config(std::string_view text, std::string file_name, double cpus) {
  return result_of(parse_partial_config(text, std::move(file_name), cpus));
}

ConfigResult parse_config_with(std::string_view text, const std::vector<ConfigSetting>& settings,
                               std::string file_name, double cpus) {
  return result_of(parse_partial_config(text, std::move(file_name), cpus, settings));
}

PartialConfig read_partial_config(const std::string& path, double cpus) {
  auto text = read_text(path, kMostConfigBytes);
  if (auto* errors = std::get_if<std::vector<ConfigError>>(&text)) return {{}, std::move(*errors)};
  return parse_partial_config(std::get<std::string>(text), path, cpus);
}

ConfigResult read_config(const std::string& path, double cpus) {
  return result_of(read_partial_config(path, cpus));
}

}  // namespace sluice
