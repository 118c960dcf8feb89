#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A command without its wrappers, for `program_of` and `job_key`.
struct RealCommand {
  std::string program;             ///< Its file name, or that of the script it interprets.
  std::vector<std::string> words;  ///< All words, including the program but not redirections.
};

/// Pure; accepts any command.
RealCommand real_command(std::span<const std::string> command);

/// The last part of a path.
std::string base_name(const std::string& path);

/// Whether the word is in the list.
template <class List>
bool holds(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// Whether the word begins with one of the list.
template <class List>
bool begins_with_one_of(const List& list, std::string_view word) {
  return std::ranges::any_of(list, [&](std::string_view each) { return word.starts_with(each); });
}

}  // namespace sluice
