#include "base/process_users.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice {
namespace {

/// Removes and returns the next number.
std::optional<uid_t> next_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of("\t "), text.size()));
  uid_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

}  // namespace

std::optional<ProcessUsers> parse_process_users(std::string_view status) {
  // A process chooses its name, on the first line, but the kernel escapes line ends in it.
  constexpr std::string_view line = "\nUid:";
  const std::size_t at = status.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + line.size());
  const auto real = next_number(rest);
  const auto effective = next_number(rest);
  if (!real || !effective) return std::nullopt;
  return ProcessUsers{*real, *effective};
}

std::optional<ProcessUsers> users_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  return parse_process_users(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace sluice
