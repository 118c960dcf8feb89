#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A caller's text made safe for a message: quoted, truncated if long, on one line.
std::string in_quotes(std::string_view text);

/// "there are a, b", with at most ten names, or "there is none".
std::string there_are(const std::vector<std::string>& names);

/// The keys of a map from names, in its order.
template <typename Map>
std::vector<std::string> names_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace sluice
