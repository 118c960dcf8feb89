#pragma once

#include <cstddef>

#include "sluice/units.h"

// At least one job always runs: while none does, neither the window nor the CPUs nor memory holds
// one back, and under `when_red: use_half` no sensor that shows how busy other programs are. So no
// size, need or prediction that is wrong keeps the machine idle forever. A pause, a drain, any
// other red sensor, and what a job needs of managers, locks and limits hold it back nevertheless.

namespace sluice {

/// Whether the rule applies. `usage`: of the running jobs, each of which costs at least a point.
constexpr bool nothing_runs(Points usage) { return usage.value == 0; }
constexpr bool nothing_runs(std::size_t running) { return running == 0; }

}  // namespace sluice
