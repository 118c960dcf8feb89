#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "governor/window.h"
#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// The operator's switches.
enum class Switch { running, paused, draining };

/// What there is to be had at one instant.
struct Room {
  Points usage;
  Points size;
  Switch operated = Switch::running;
  std::string_view red;  ///< The worst red sensor; empty: all green.
};

/// The name of the worst red sensor, the highest pressure first; empty if none is red.
std::string_view worst_red(std::span<const JudgedSensor> sensors);

/// Why nothing at all is admitted now; none while the governor is open. The operator's word comes
/// before the sensors'.
std::optional<Refusal> closed(const Room& room);

/// Every reason why nothing at all is admitted now, the one of `closed` first; the red sensors in
/// the order given.
std::vector<Refusal> all_closed(const Room& room, std::span<const JudgedSensor> sensors);

/// Why a job of this cost is not admitted now; none: it is. The window admits while
/// usage + cost <= size. With no job running, one job is admitted even if its cost exceeds the
/// window, so that a window too small for a job never keeps the machine idle for ever; but never
/// while the governor is closed.
std::optional<Refusal> refuse(const Room& room, Points cost);

/// Why the executor should not be sent more work; none: it should. Open, and usage < size.
std::optional<Refusal> full(const Room& room);

}  // namespace sluice
