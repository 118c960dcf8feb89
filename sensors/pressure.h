#pragma once

#include "sluice/reading.h"

namespace sluice {

/// What a value at exactly its limit counts as. `allowed`: just below 1, so that the limit itself
/// is still green; `red`: 1. Zuul's sensors differ in the same way: load, memory and disk compare
/// with "over" or "under", starting builds and processes with "reached".
enum class AtLimit { allowed, red };

/// Pressure is never more than this, however far over a limit something is.
inline constexpr double kMostPressure = 100;

/// value / limit within [0, 100]: for what must not exceed its limit. What is no number counts as
/// 100, so that nonsense never looks like room; an infinite limit gives 0.
double pressure_at_most(double value, double limit, AtLimit at_limit);

/// limit / available within [0, 100]: for what must not fall below its limit. Nothing left, less
/// than nothing or no number gives 100, whatever the limit.
double pressure_at_least(double available, double limit, AtLimit at_limit);

/// Sets `worst` to the condition with the largest pressure, the first of equal ones.
void settle_worst(Reading& reading);

}  // namespace sluice
