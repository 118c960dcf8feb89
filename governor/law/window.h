#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "governor/law/knee_state.h"
#include "sluice/options.h"
#include "sluice/sensor.h"
#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice {

/// A sensor as input of a control law: measured, then judged (law/sensor_state.h).
struct JudgedSensor {
  std::string_view name;
  Acts acts = Acts::gate;
  bool red = false;
  bool fresh = true;    ///< Growth requires every sensor that counts to be fresh.
  double pressure = 0;  ///< >= 0; above 1 over the limit
};

/// The state of a control law between two calls.
struct WindowState {
  Points size;
  Points threshold;  ///< adaptive, knee: slow start ends here.
  TimePoint round_began;
  /// A job was refused for the window: adaptive: this round; knee: since growth was last due.
  bool wanted = false;
  std::optional<TimePoint> last_cut;
  std::optional<TimePoint> idle_since;  ///< adaptive: since when no points are in use.
  KneeState knee;
};

/// The input of a control law at one instant.
struct WindowInput {
  Points usage;
  bool refused = false;  ///< A job was refused for the window since the last call.
  bool pending = false;  ///< A job is pending.
  std::span<const JudgedSensor> sensors;
  TimePoint now;
  KneeInput knee = {};  ///< knee: the machine and what the jobs need of it.
};

/// The next state, and why the size changed; nullopt if it did not.
struct WindowStep {
  WindowState state;
  std::optional<WindowCause> cause;
  std::string_view sensor;  ///< For `red`: the worst congestion sensor.
};

/// The window at the start.
WindowState open_window(const WindowParameters& parameters, TimePoint now);

/// Runs the control law named in `parameters` once. Call it every `interval`.
///
/// `rfc` is the algorithm of the mailing-list post "Zuul executor congestion control"
/// (2018-01-16): one step down below usage while anything is red, one step up while all is green
/// and the window is well used. Its known weakness: with size 20 and jobs of 15, usage is 75 %,
/// which is not above 80 %, and it never grows.
///
/// `adaptive` keeps the shape and removes that weakness and the oscillation. Long jobs respond
/// late: load1 needs a minute to show what was admitted, memory peaks near the end of a job, and a
/// cut frees nothing before a job ends. So the law acts in rounds, as TCP acts in round trips (RFC
/// 5681): after each change it waits until the change can have an effect.
///
///   size                          cut: proportional to the excess,
///    |            ,--x            at most one in `cut_settle`
///    |        ,--'   |    ,--
///    |    ,--'       |,--'        above the threshold: + step x h per round
///    |  /            '            below it: x 2^h per round (slow start)
///    | /
///    +----------------------> rounds
///
/// h is the headroom of the worst congestion sensor: 1 at half its limit or less, falling to 0 at
/// the limit, so growth slows down before anything turns red. The cut is proportional to the excess
/// as in Breakwater (OSDI 2020). There is no second cut while usage is still above the size,
/// because the first has not taken effect yet (CockroachDB's slot adjuster does the same), unless
/// the pressure is at `hard` or above.
///
/// `knee` is in knee.h. It behaves like `adaptive` on a machine whose CPU time cannot be measured.
WindowStep step_window(const WindowParameters& parameters, const WindowState& state,
                       const WindowInput& input);

/// The same state under new parameters: size and threshold, clamped to the new bounds.
WindowState refit_window(const WindowParameters& parameters, const WindowState& state);

}  // namespace sluice
