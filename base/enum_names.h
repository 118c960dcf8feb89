#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sluice {

/// The names of an enum whose values count from 0, in their order. `last`: its last value, so that
/// one name too few or too many does not compile.
template <auto last>
class EnumNames {
 public:
  using Enum = decltype(last);
  static constexpr std::size_t kCount = static_cast<std::size_t>(last) + 1;

  template <typename... Names>
  explicit constexpr EnumNames(Names... names) : names_{names...} {
    static_assert(sizeof...(Names) == kCount);
  }

  /// Empty for a number that the enum does not have.
  constexpr std::string_view of(Enum value) const {
    const auto at = static_cast<std::size_t>(value);
    return at < kCount ? names_[at] : std::string_view{};
  }

 private:
  std::array<std::string_view, kCount> names_;
};

/// The value with this name, by `to_string`, among the first `count` of its enum.
template <typename Enum>
std::optional<Enum> find_named(std::string_view name, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    if (to_string(static_cast<Enum>(at)) == name) return static_cast<Enum>(at);
  }
  return std::nullopt;
}

}  // namespace sluice
