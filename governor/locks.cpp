#include "sluice/locks.h"

#include <algorithm>

namespace sluice {
namespace {
std::string add_names(std::string_view list, std::vector<std::string>& names) {
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (std::string problem = problem_of_name(name); !problem.empty()) return problem;
    names.emplace_back(name);
    if (names.size() > kMostLockNames) return "more than 1000 names";
    if (comma == list.npos) break;
    list.remove_prefix(comma + 1);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return "";
}
}  // namespace
std::variant<LevelLocks, std::string> parse_locks(std::string level, std::string_view text) {
  LevelLocks locks;
  locks.level = std::move(level);
  bool any = false;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == text.npos ? text.size() : blank + 1);
    if (word.empty()) continue;
    any = true;
    std::string problem;
    if (word == "none") {
    } else if (word == "unknown-shared")
      locks.unknown_shared = true;
    else if (word == "all-shared")
      locks.all_shared = true;
    else if (word == "unknown-exclusive")
      locks.unknown_exclusive = true;
    else if (word == "all-exclusive")
      locks.all_exclusive = true;
    else if (word.starts_with("shared:"))
      problem = add_names(word.substr(7), locks.shared);
    else if (word.starts_with("exclusive:"))
      problem = add_names(word.substr(10), locks.exclusive);
    else
      problem = "unknown mode `" + std::string(word) + "`";
    if (!problem.empty()) return problem;
  }
  if (!any) return std::string("names no mode");
  return locks;
}
std::string problem_of_name(std::string_view name) {
  if (name.empty()) return "a name is empty";
  if (name.size() > kMostNameBytes) return "a name is longer than 255 bytes";
  for (char c : name)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',')
      return "a name has a control character, a blank or a comma";
  return "";
}
}  // namespace sluice
namespace sluice {
std::string to_text(const LevelLocks& l) { return l.level; }
}  // namespace sluice
