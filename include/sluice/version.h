#pragma once

namespace sluice {

/// The version of the library and the command; CMake reads it from here.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace sluice
