#pragma once

#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

namespace sluice {

/// What `get`, a function or a member, gives for each of the items, in their order.
template <typename Items, typename Get>
auto mapped(const Items& items, Get get) {
  std::vector<std::decay_t<std::invoke_result_t<Get&, decltype(*std::begin(items))>>> all;
  all.reserve(std::size(items));
  for (const auto& each : items) all.push_back(std::invoke(get, each));
  return all;
}

}  // namespace sluice
