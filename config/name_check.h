#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// What is wrong with a job's key, id, or another text that people see on one line; empty:
/// nothing. 1 to `kMostNameBytes` bytes, no control characters.
std::string problem_of_label(std::string_view label);

/// What is wrong with a lock declaration in which `{param}` stands for a job's parameters,
/// whatever their values are; empty: nothing.
std::string problem_of_lock_template(std::string_view text);

/// How many names such a declaration has; 0 where something is wrong with it.
std::size_t count_lock_names(std::string_view text);

/// "unknown queue `nightl`; did you mean `nightly`?", or what is known instead. `what` is the sort
/// of thing: "queue".
std::string unknown_name(const std::string& what, std::string_view name,
                         const std::vector<std::string>& known);

/// The keys of a map by name.
template <typename Map>
std::vector<std::string> names_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace sluice
