#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

/// The value of a result. Throws std::runtime_error with the text that is there instead, which says
/// why there is none, after `before`, such as "--to: ".
template <typename Value>
Value value_or_throw(std::variant<Value, std::string> result, const std::string& before = "") {
  if (const auto* problem = std::get_if<std::string>(&result)) {
    throw std::runtime_error(before + *problem);
  }
  return std::get<Value>(std::move(result));
}

}  // namespace sluice
