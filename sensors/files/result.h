#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sluice/reading.h"

namespace sluice {

/// A value, or why there is none. Reading and parsing never throw because of what they find.
template <class T>
using Result = std::variant<T, ReadFailure>;

/// The value, or null if there is none.
template <class T>
const T* value_in(const Result<T>& result) {
  return std::get_if<T>(&result);
}

/// The failure of a result without a value.
template <class T>
const ReadFailure& failure_in(const Result<T>& result) {
  return std::get<ReadFailure>(result);
}

/// The failure prefixed with its subject: "/proc/meminfo: no MemAvailable".
inline ReadFailure about(std::string_view subject, const ReadFailure& failure) {
  return {std::string(subject) + ": " + failure.what};
}

}  // namespace sluice
