#include "config_tests/yaml_writer.h"

#include <map>
#include <string>

namespace sluice {
namespace {

struct Tree {
  std::string value;
  std::map<std::string, Tree> children;    ///< Keys as written in YAML, quoted or not.
  std::map<std::size_t, Tree> list_items;  ///< Of a list.
};

std::string write(const Tree& tree) {
  std::string text;
  for (const auto& [index, item] : tree.list_items)
    text += (text.empty() ? "" : ", ") + write(item);
  if (!tree.list_items.empty()) return "[" + text + "]";
  if (tree.children.empty()) return tree.value;
  for (const auto& [key, child] : tree.children) {
    text += (text.empty() ? "" : ", ") + key + ": " + write(child);
  }
  return "{" + text + "}";
}

/// The end of the first part of a path: a dot or a bracket outside quotes.
std::size_t end_of_part(const std::string& path) {
  bool quoted = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\') {
      ++i;
      continue;
    }
    if (path[i] == '"') quoted = !quoted;
    if (!quoted && i > 0 && (path[i] == '.' || path[i] == '[')) return i;
  }
  return path.size();
}

Tree& place_of(Tree& root, std::string path) {
  Tree* place = &root;
  while (!path.empty()) {
    const std::size_t end = end_of_part(path);
    const std::string part = path.substr(0, end);
    const bool index = part.starts_with('[');
    place = index ? &place->list_items[std::stoul(part.substr(1))] : &place->children[part];
    path.erase(0, end < path.size() && path[end] == '.' ? end + 1 : end);
  }
  return *place;
}

}  // namespace

std::string write_yaml(const std::vector<EffectiveValue>& values) {
  Tree root;
  for (const EffectiveValue& value : values) place_of(root, value.path).value = value.value;
  return root.children.empty() ? "" : write(root);
}

std::vector<EffectiveValue> only_given(std::vector<EffectiveValue> values) {
  std::erase_if(values,
                [](const EffectiveValue& value) { return value.origin.starts_with("default"); });
  return values;
}

}  // namespace sluice
