#include "config/config.h"

#include <utility>

#include "config/checks.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/schema.h"
#include "config/source_text.h"

namespace sluice {
namespace {

std::string too_large() {
  return "the file is larger than " + std::to_string(kMostConfigBytes) + " bytes";
}

}  // namespace

std::string to_string(const ConfigError& error) {
  std::string place;
  if (error.line > 0) {
    const std::string column = error.column > 0 ? std::to_string(error.column) + ":" : "";
    place = std::to_string(error.line) + ":" + column + " ";
  }
  return error.file + ":" + (error.line > 0 ? "" : " ") + place + error.message;
}

Config read_config_tree(const YamlNode& root, std::string file_name, double cpus,
                        std::vector<ConfigError>& errors) {
  Config config;
  config.file = std::move(file_name);
  config.cpus = cpus;
  for (ConfigError& error : read_document(config_schema(), root, config)) {
    errors.push_back(std::move(error));
  }
  for (ConfigError& error : find_contradictions(config)) errors.push_back(std::move(error));
  return config;
}

ConfigResult parse_config(std::string_view text, std::string file_name, double cpus) {
  if (text.size() > kMostConfigBytes) {
    return std::vector<ConfigError>{{file_name, 0, 0, too_large()}};
  }
  const DocumentResult result = parse_document(text);
  if (const auto* error = std::get_if<DocumentError>(&result)) {
    return std::vector<ConfigError>{in_file(file_name, *error)};
  }
  const auto& document = std::get<YamlDocument>(result);
  std::vector<ConfigError> errors;
  for (const DocumentError& repeated : document.repeated) {
    errors.push_back(in_file(file_name, repeated));
  }
  Config config = read_config_tree(document.root, std::move(file_name), cpus, errors);
  if (errors.empty()) return config;
  return put_in_order(std::move(errors));
}

ConfigResult read_config(const std::string& path, double cpus) {
  auto text = read_text(path, kMostConfigBytes);
  if (auto* errors = std::get_if<std::vector<ConfigError>>(&text)) return std::move(*errors);
  return parse_config(std::get<std::string>(text), path, cpus);
}

}  // namespace sluice
