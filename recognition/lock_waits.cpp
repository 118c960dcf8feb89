#include "recognition/lock_waits.h"

#include <algorithm>
#include <optional>

#include "base/parse.h"

namespace sluice {
namespace {

/// Without the number in front: "FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF".
std::string_view without_number(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  line.remove_prefix(colon + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

/// The fourth word; 0 for -1.
std::optional<pid_t> process_of(std::string_view lock) {
  for (int word = 0; word < 3; ++word) next_word(lock);
  const auto process = parse_as<pid_t>(next_word(lock));
  if (!process || *process < -1 || *process == 0) return std::nullopt;
  return std::max(*process, 0);
}

}  // namespace

std::vector<LockWait> parse_lock_waits(std::string_view locks) {
  constexpr std::string_view arrow = "-> ";
  std::vector<LockWait> waits;
  std::string_view held;
  while (!locks.empty()) {
    std::string_view line = without_number(next_line(locks));
    if (!line.starts_with(arrow)) {
      held = line;
      continue;
    }
    line.remove_prefix(arrow.size());
    const auto process = process_of(line);
    if (process && !held.empty()) waits.push_back({*process, std::string(held)});
  }
  return waits;
}

std::vector<std::string> parse_locks_of_file(std::string_view fdinfo) {
  constexpr std::string_view name = "lock:";
  std::vector<std::string> locks;
  while (!fdinfo.empty()) {
    std::string_view line = next_line(fdinfo);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    locks.emplace_back(without_number(line));
  }
  return locks;
}

}  // namespace sluice
