#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "governor/law/window.h"
#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// The operator's switches.
enum class Switch { running, paused, draining };

/// The state of the window and the switches at one instant.
struct Room {
  Points usage;
  Points size;
  Switch operated = Switch::running;
  std::string_view red;  ///< The worst red sensor; empty if all are green.
};

/// A refusal with the usage and size of this instant.
Refusal refused_in(const Room& room, RefusalCode code, std::string_view binding, Points cost);

/// The name of the red sensor with the highest pressure; empty if none is red.
std::string_view worst_red(std::span<const JudgedSensor> sensors);

/// Why nothing is admitted now; nullopt while the governor is open. The operator's switch takes
/// precedence over the sensors.
std::optional<Refusal> closed(const Room& room);

/// Every reason why nothing is admitted now, that of `closed` first; red sensors in the order
/// given.
std::vector<Refusal> all_closed(const Room& room, std::span<const JudgedSensor> sensors);

/// Whether the window has room: it admits while usage + cost <= size, and the first job whatever
/// its cost (see liveness.h).
bool fits_window(Points usage, Points cost, Points size);

/// Why a job of this cost is not admitted now: closed, or no room; nullopt if it is.
std::optional<Refusal> refuse(const Room& room, Points cost);

/// Why the executor should get no more work; nullopt if it should: it is open and usage < size.
std::optional<Refusal> full(const Room& room);

}  // namespace sluice
