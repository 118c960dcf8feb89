#include "base/item_variables.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kMostName = 40;  ///< Bytes of a name that are shown.

bool is_plain(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
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
  for (const std::string& name : names)
    list += (list.empty() ? "" : ", ") + printable(name, kMostName);
  if (list.empty()) return list;
  return "ignored what the daemon may not set for a command: " + list +
         "; is it a sluice daemon that you trust?";
}

}  // namespace sluice
