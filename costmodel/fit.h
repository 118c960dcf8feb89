#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sluice/prediction.h"
#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice {

/// Room on a host for further jobs, at one instant.
struct FitRoom {
  double cores = 0;              ///< That may still be asked of the CPUs; may be negative.
  std::optional<Points> points;  ///< Of the window; nullopt if none is known.
  std::optional<double> memory;  ///< Bytes that may still be promised; nullopt without a limit.
};

/// By a governor's snapshot. Under `knee` the window is sized by how busy the CPUs are, so that
/// only its maximum counts. `cpus`: usable ones, for a snapshot in which they are not measured.
/// Pure.
FitRoom room_of(const Status& status, double cpus);

/// How many jobs of one kind fit now, and what keeps it from being more.
struct Fit {
  enum class Bound { cpus, memory, window };
  std::size_t jobs = 1;  ///< At least 1, as a governor always runs one.
  Bound bound = Bound::cpus;
};

/// The largest number of jobs, each with this need, that fit in the room. A job of which nothing is
/// known uses a core; one that sleeps, a tenth. Their memory, as in a governor's reservation: the
/// means, and `z` deviations by the square root of their number, but no more than the largest that
/// such a job has needed. Pure.
Fit fit_in(const FitRoom& room, const Prediction& need, double z);

std::string_view to_string(Fit::Bound bound);

}  // namespace sluice
