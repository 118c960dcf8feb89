#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/units.h"

namespace sluice::capi {

// What a C program passes, checked. All throw std::invalid_argument that begins with `field`. Pure.

[[noreturn]] void reject(const std::string& field, const std::string& message);

/// The longest text and list that are accepted.
inline constexpr std::size_t kMostTextBytes = 4096;
inline constexpr std::size_t kMostEntries = 1000;

/// At most `kMostTextBytes` of UTF-8 without control characters; empty if it is null.
std::string text_of(const char* text, const std::string& field);

/// The list, which may be null if it is empty.
template <typename T>
std::span<const T> list_of(const T* list, std::size_t count, std::string_view field) {
  if (count > kMostEntries) reject(std::string(field), "has more than 1000 entries");
  if (list == nullptr && count != 0) reject(std::string(field), "is NULL, but its count is not 0");
  return {list, count};
}

/// "name=value" in two, where the name is not empty; `form` shows what is expected.
std::pair<std::string, std::string> pair_of(const char* text, const std::string& field,
                                            const std::string& form);

/// The value that stands for a C enumerator; `type` is the name of its enum.
template <typename Enum>
Enum enum_of(int number, std::initializer_list<std::pair<int, Enum>> known,
             const std::string& field, const std::string& type) {
  for (const auto& [enumerator, value] : known) {
    if (enumerator == number) return value;
  }
  reject(field, std::to_string(number) + " is no " + type);
}

std::int64_t number_of(std::int64_t number, std::int64_t least, std::int64_t most,
                       const std::string& field);

bool truth_of(int number, const std::string& field);

/// 0 to 2^60 bytes.
Bytes bytes_of(std::int64_t bytes, const std::string& field);

/// 0 to 1e9 seconds.
Duration time_of(double seconds, const std::string& field);

}  // namespace sluice::capi
