#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/autoscale.h"

namespace sluice {

/// A name and the number that it ends in.
struct Numbered {
  std::string_view stem;  ///< The text before the number.
  std::uint64_t number = 0;
};

/// nullopt if it ends in no number, or in one of more than 18 digits.
std::optional<Numbered> numbered(std::string_view id);

/// Names for new executors: the highest number in use plus one, and so on, with at least three
/// digits and the same prefix. node001, node003 -> node004; none -> 001.
std::vector<std::string> name_executors(const std::vector<Executor>& there, int count);

/// Whether `a` sorts before `b` with digits compared as numbers: node999, node1000.
bool is_before_in_natural_order(std::string_view a, std::string_view b);

}  // namespace sluice
