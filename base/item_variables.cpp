#include "base/item_variables.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kMostNamed = 10;

bool is_plain(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
}

std::string printable(std::string text) {
  constexpr std::size_t longest = 40;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  std::ranges::replace_if(
      text, [](char letter) { return letter < '!' || letter > '~'; }, '?');
  return text;
}

}  // namespace

bool may_be_set_by_daemon(std::string_view name) {
  const bool names_items = name.starts_with("SLUICE_RM_") || name.starts_with("JQM_RM_");
  return names_items && name.ends_with("_ITEMS") && std::ranges::all_of(name, is_plain);
}

void ItemVariables::offer(std::string name, std::string value) {
  if (may_be_set_by_daemon(name)) {
    taken[std::move(name)] = std::move(value);
  } else if (ignored.size() < kMostNamed) {
    ignored.push_back(std::move(name));
  }
}

std::string about_ignored(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name);
  if (list.empty()) return list;
  return "ignored what the daemon may not set for a command: " + list +
         "; is it a sluice daemon that you trust?";
}

}  // namespace sluice
