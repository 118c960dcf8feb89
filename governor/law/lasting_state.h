#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "governor/law/machine_use.h"
#include "governor/law/registration.h"
#include "governor/law/window.h"
#include "governor/law/window_room.h"
#include "sluice/machine_use.h"
#include "sluice/options.h"
#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice {

/// When the counters of CPU time were first read, and the CPUs there were.
struct FirstReading {
  TimePoint at;
  double cpus = 1;  ///< > 0; a fraction under a quota.
};

/// What a core knows of the window, the CPUs and the past, whether or not it has jobs.
struct LastingState {
  // The window and the switches (window_control.h):
  WindowState window;
  std::optional<WindowChange> last_change;
  RegistrationState registration;
  Switch operated = Switch::running;
  // Whether a job was refused for it since `adjust_window` last ran:
  bool refused_for_size = false, refused_for_memory = false;

  // Readings (red_sensors.h, memory_charge.h):
  TimePoint judged_at;  ///< When the sensors were last judged.
  double believed = 0;  ///< Part of reports that counts: `Reservation::believed_part`.

  // The last numbers that jobs got:
  std::uint64_t last_id = 0;
  std::uint64_t last_arrival = 0;

  // The CPUs (cpu_use.h):
  std::optional<FirstReading> first_reading;    ///< Of the counters.
  std::optional<UseCounters> use_counters;      ///< Of the last sample.
  std::optional<MachineUse> use;                ///< Between the last two.
  TimePoint used_at;                            ///< Time of `use`.
  std::optional<double> tasks;                  ///< Between them, see `tasks_between` (cpu_use.h).
  bool use_is_new = false;                      ///< The law has not seen it.
  bool at_knee = false;                         ///< More work would only make the jobs slower.
  Duration own_cpu{0}, own_delay{0};            ///< Of measured jobs, ended ones included.
  Duration own_cpu_then{0}, own_delay_then{0};  ///< At `use_counters`.
  std::uint64_t ended_then = 0;                 ///< Jobs that had ended at `use_counters`.
  std::deque<double> neighbours;                ///< Cores used by others, in the last samples.
  Duration last_ramp{0};                        ///< Of the job admitted last.
  std::optional<TimePoint> short_at;            ///< See `Status::short_of_capacity`.

  Counters counters;
};

}  // namespace sluice
