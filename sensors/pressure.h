#pragma once

#include <string>

#include "sluice/reading.h"

namespace sluice {

/// How a value at exactly its limit counts. `allowed`: just below 1, so that the limit itself is
/// still green; `red`: 1. Zuul's sensors differ in the same way: load, memory and disk compare with
/// "over" or "under", starting builds and processes with "reached".
enum class AtLimit { allowed, red };

/// value / limit within [0, 100]: for a value with an upper limit. NaN counts as 100, so that
/// nonsense never looks like free capacity; an infinite limit gives 0.
double pressure_at_most(double value, double limit, AtLimit at_limit);

/// The condition of a value with an upper limit.
Condition condition_at_most(std::string name, double value, double limit, Unit unit,
                            AtLimit at_limit = AtLimit::allowed);

/// limit / available within [0, 100]: for a value with a lower limit. 0, a negative value or NaN
/// gives 100, whatever the limit.
double pressure_at_least(double available, double limit, AtLimit at_limit);

/// Sets `worst` to the condition with the largest pressure, the first of equal ones.
void settle_worst(Reading& reading);

}  // namespace sluice
