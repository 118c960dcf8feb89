#pragma once

#include <cerrno>
#include <cstring>
#include <string>

namespace sluice {

/// What failed, and why according to an errno: "/etc/x: Permission denied".
inline std::string errno_text(const std::string& what, int error = errno) {
  return what + ": " + std::strerror(error);
}

}  // namespace sluice
