#include "config_tests/yaml_writer.h"

#include <algorithm>
#include <map>

namespace sluice {
namespace {

struct Tree {
  std::string value;
  std::map<std::string, Tree> children;
};

std::string write(const Tree& tree) {
  if (tree.children.empty()) return tree.value;
  std::string text;
  for (const auto& [key, child] : tree.children) {
    text += (text.empty() ? "" : ", ") + key + ": " + write(child);
  }
  return "{" + text + "}";
}

}  // namespace

std::string write_yaml(const std::vector<EffectiveValue>& values) {
  Tree root;
  for (const EffectiveValue& value : values) {
    Tree* place = &root;
    std::string rest = value.path;
    while (!rest.empty()) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      place = &place->children[rest.substr(0, dot)];
      rest.erase(0, dot + 1);
    }
    place->value = value.value;
  }
  return root.children.empty() ? "" : write(root);
}

std::vector<EffectiveValue> only_given(std::vector<EffectiveValue> values) {
  std::erase_if(values,
                [](const EffectiveValue& value) { return value.origin.starts_with("default"); });
  return values;
}

}  // namespace sluice
