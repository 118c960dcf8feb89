#pragma once

#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// How long to wait before the next attempt to reach a server, after `failures` in a row (>= 1).
/// From 100 ms on it doubles, up to 30 s; of that, at least the half, and of the rest a part drawn
/// from `seed` and the number of failures, so that workers that lost their server at one instant do
/// not all come back at one. Pure.
Duration reconnect_delay(std::uint64_t failures, std::uint64_t seed);

}  // namespace sluice
