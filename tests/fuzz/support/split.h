#pragma once

#include <string_view>

namespace sluice::fuzz {

/// Removes and returns the text before the first `separator`; removes the separator, too.
inline std::string_view cut(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view front = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + separator.size());
  return front;
}

}  // namespace sluice::fuzz
