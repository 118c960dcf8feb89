#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/complaint.h"
#include "config/config.h"
#include "config/document.h"
#include "config/fields.h"
#include "config/scenario.h"
#include "config/source_text.h"

namespace sluice {

/// What the readers of scenarios share: the scenario, a `T` with its `file`, and the errors so far.
template <typename T>
class ScenarioReading {
 public:
  explicit ScenarioReading(std::string file) { scenario_.file = std::move(file); }

  std::variant<T, std::vector<ConfigError>> take_result() {
    if (errors_.empty()) return std::move(scenario_);
    return sorted_by_position(std::move(errors_));
  }

  void fail(ConfigPosition at, std::string message) {
    errors_.push_back({scenario_.file, at.line, at.column, std::move(message)});
  }

 protected:
  void judge_key(const YamlEntry& entry, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) return;
    fail(entry.at, unknown_key(entry.key, known));
  }

  /// Adds the errors in a part of the file, with its name before the fields' names.
  void fail_fields(const std::string& part, const std::vector<FieldError>& errors) {
    for (const FieldError& error : errors) fail(error.at, part + ": " + error.message);
  }

  /// The items of the optional list at `path`; empty if it is something else, which is an error.
  const std::vector<YamlNode>& items_of(const std::string& path, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::list && node.kind != YamlNode::Kind::null) {
      fail(node.at, complaint(path, {"must be a list", ""}, node));
    }
    return node.items;
  }

  /// Adds what `read_item(node, errors)` makes of each item of the optional list at `path`.
  template <typename Item, typename ReadItem>
  void read_items(const std::string& path, const YamlNode& node, std::vector<Item>& into,
                  ReadItem read_item) {
    const std::vector<YamlNode>& items = items_of(path, node);
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::vector<FieldError> errors;
      into.push_back(read_item(items[i], errors));
      fail_fields(path_of_item(path, i), errors);
    }
  }

  T scenario_;
  std::vector<ConfigError> errors_;
};

/// Parses YAML text with a `ScenarioReading` that can `read` its root. `hint` ends the message
/// about a text that is too large.
template <typename Reader>
auto parse_with(std::string_view text, std::string file_name, const std::string& hint = "")
    -> decltype(std::declval<Reader>().take_result()) {
  if (text.size() > kMostScenarioBytes) {
    return std::vector<ConfigError>{{file_name, 0, 0, larger_than(kMostScenarioBytes) + hint}};
  }
  const DocumentResult result = parse_document(text, {.values = 400'000, .mebibytes = 16});
  if (const auto* error = std::get_if<DocumentError>(&result)) {
    return std::vector<ConfigError>{in_file(file_name, *error)};
  }
  const auto& document = std::get<YamlDocument>(result);
  Reader reader(std::move(file_name));
  for (const DocumentError& repeated : document.repeated) {
    reader.fail(repeated.at, repeated.message);
  }
  reader.read(document.root);
  return reader.take_result();
}

/// Gives the text of a file to `parse(text, path)`.
template <typename Parse>
auto read_with(Parse parse, const std::string& path) -> decltype(parse(std::string_view(), path)) {
  auto text = read_text(path, kMostScenarioBytes);
  if (auto* errors = std::get_if<std::vector<ConfigError>>(&text)) return std::move(*errors);
  return parse(std::get<std::string>(text), path);
}

}  // namespace sluice
