#pragma once

#include <concepts>
#include <type_traits>

#include "sluice/units.h"

namespace sluice {

/// `Self` is `T`, const or not.
template <typename Self, typename T>
concept FieldsOf = std::same_as<std::remove_const_t<Self>, T>;

/// The number of fields of a struct that is recorded with all of them. Its declaration says it, and
/// nothing defines it: `FieldCount<2> field_count(const ResourceDemand*);`
template <int count>
using FieldCount = std::integral_constant<int, count>;

FieldCount<1> field_count(const Points*);
FieldCount<1> field_count(const Bytes*);
FieldCount<1> field_count(const JobId*);

namespace inputs {

/// Gives all fields of a struct to a visitor, in their order. They are bound by a structured
/// binding of as many names as are declared, so that it does not compile once there is another.
template <typename T>
requires requires(T* value) { field_count(value); }
void fields(T& self, auto&& visit) {
  constexpr int kCount = decltype(field_count(&self))::value;
  if constexpr (kCount == 1) {
    auto& [a] = self;
    visit(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = self;
    visit(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = self;
    visit(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = self;
    visit(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = self;
    visit(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, f] = self;
    visit(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, f, g] = self;
    visit(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 8) {
    auto& [a, b, c, d, e, f, g, h] = self;
    visit(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = self;
    visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = self;
    visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kCount == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = self;
    visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (kCount == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = self;
    visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (kCount == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = self;
    visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (kCount == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = self;
    visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else {
    static_assert(kCount == 26, "add a case for as many fields");
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = self;
    visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
  }
}

/// A list that grows at its end: a vector or a deque.
template <typename T>
concept Sequence = requires(T& list) {
  list.emplace_back();
};

struct AnyVisitor {
  void operator()(auto&...) const {}
};

/// A struct whose `fields` are given to a visitor: all of those declared by `field_count`, or those
/// that an overload of its own names.
template <typename T>
concept Listed = requires(T& value) {
  fields(value, AnyVisitor{});
};

}  // namespace inputs

}  // namespace sluice
