#pragma once

#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// Delay before the next attempt to reach a server, after `failures` in a row (>= 1). Its base
/// doubles from 100 ms up to 30 s. The delay is half the base plus jitter of up to the other half,
/// drawn from `seed` and the number of failures, so that workers that lost their server at the same
/// time do not all return at once. Pure.
Duration reconnect_delay(std::uint64_t failures, std::uint64_t seed);

}  // namespace sluice
