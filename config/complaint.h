#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values.h"
#include "config/document.h"

namespace sluice {

/// "empty", "`5`", "a list"
std::string describe_node(const YamlNode& node);

/// "window.interval must be a duration; is `5`; say the unit"
std::string complaint(const std::string& path, const ValueError& error, const YamlNode& node);

/// An error if the node's kind does not fit `type`, which the types themselves do not check;
/// nullopt if it fits. A null fits "any" only.
std::optional<ValueError> judge_kind(const std::string& type, const std::string& example,
                                     const YamlNode& node);

/// "unknown key `intial`; did you mean `initial`?"
std::string unknown_key(std::string_view key, const std::vector<std::string>& known);

/// The map's entry with this key; null if there is none.
const YamlEntry* find_entry(const YamlNode& map, std::string_view key);

/// The path of an entry of the map at `path`, or of an item of the list at `path`.
std::string path_of_entry(const std::string& path, std::string_view key);
std::string path_of_item(const std::string& path, std::size_t index);

/// Calls `visit(path, key, part)` for each entry of a map and each item of a list; an item's key is
/// "".
template <typename Visit>
void for_each_part(const std::string& path, const YamlNode& node, Visit visit) {
  for (const YamlEntry& entry : node.entries) {
    visit(path_of_entry(path, entry.key), entry.key, entry.value);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    visit(path_of_item(path, i), std::string(), node.items[i]);
  }
}

}  // namespace sluice
