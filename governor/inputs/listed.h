#pragma once

#include <concepts>
#include <type_traits>

namespace sluice {

/// `Self` is `T`, const or not.
template <typename Self, typename T>
concept FieldsOf = std::same_as<std::remove_const_t<Self>, T>;

namespace inputs {

struct AnyVisitor {
  void operator()(auto&...) const {}
};

/// A struct with an overload of `fields`, which gives all of its fields to a visitor. Each overload
/// binds every member by a structured binding, so that it does not compile once there is another.
template <typename T>
concept Listed = requires(T& value) {
  fields(value, AnyVisitor{});
};

}  // namespace inputs
}  // namespace sluice
