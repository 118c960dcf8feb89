#include "config/complaint.h"

#include <algorithm>

#include "base/suggest.h"

namespace sluice {
namespace {

std::string with_article(const std::string& type) {
  if (type == "points") return type;
  return (type.starts_with('a') ? "an " : "a ") + type;
}

}  // namespace

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

std::string complaint(const std::string& path, const ValueError& error, const YamlNode& node) {
  return path + " " + error.expected + "; is " + describe_node(node) +
         (error.hint.empty() ? "" : "; " + error.hint);
}

std::optional<ValueError> judge_kind(const std::string& type, const std::string& example,
                                     const YamlNode& node) {
  using Kind = YamlNode::Kind;
  if (type == "any") return std::nullopt;
  const bool listed = type.starts_with("list"), mapped = type.starts_with("map");
  if (type == "word or map" && (node.kind == Kind::map || node.kind == Kind::scalar)) return {};
  if (mapped ? node.kind == Kind::map : node.kind == Kind::scalar) return std::nullopt;
  if (listed && node.kind == Kind::list) return std::nullopt;
  return ValueError{
      "must be " + with_article(type) + (example.empty() ? "" : " such as " + example), ""};
}

std::string unknown_key(std::string_view key, const std::vector<std::string>& known) {
  return "unknown key " + quote_text(key) +
         did_you_mean(key, known, "; known here: " + join_words(known));
}

const YamlEntry* find_entry(const YamlNode& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &YamlEntry::key);
  return found == map.entries.end() ? nullptr : &*found;
}

std::string path_of_entry(const std::string& path, std::string_view key) {
  return path + "." + print_path_name(key);
}

std::string path_of_item(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace sluice
