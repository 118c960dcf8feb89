#pragma once

namespace sluice {

/// The version of the HTTP API: the second number grows with each route or field that is new, the
/// first when one goes or changes its meaning. docs/api.md says what clients may rely on.
inline constexpr const char* kApiVersion = "1.0";

}  // namespace sluice
