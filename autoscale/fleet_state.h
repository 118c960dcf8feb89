#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/descriptors.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// An executor that the scaler was told to make and that has not been seen yet, or that is listed
/// as booting.
struct OrderedExecutor {
  std::string name;
  TimePoint since;

  bool operator==(const OrderedExecutor&) const = default;
};

/// An executor to be removed.
struct DepartingExecutor {
  /// `draining`: it accepts no more work and is removed if it is idle in the next reconciliation;
  /// `since`: when it was last listed. `ending`: the scaler reported its removal; `since`: when.
  enum class Step { draining, ending };
  std::string id;
  Step step = Step::draining;
  TimePoint since;

  bool operator==(const DepartingExecutor&) const = default;
};

/// Back-off of a kind of order after failures.
struct OrderBackoff {
  int failures = 0;  ///< In a row.
  TimePoint retry;   ///< Not before this.

  bool operator==(const OrderBackoff&) const = default;
};

/// An executor that could not be drained, and when to try again.
struct FailedDrain {
  std::string id;
  OrderBackoff backoff;

  bool operator==(const FailedDrain&) const = default;
};

/// The state of an autoscaler that must survive a restart.
struct FleetState {
  AutoscaleState rules;
  std::vector<OrderedExecutor> ordered;
  std::vector<DepartingExecutor> departing;
  OrderBackoff adding, removing;
  std::vector<FailedDrain> failed_drains;  ///< Each waits by itself: the others can be drained.
  std::vector<std::string> known;          ///< Executors last listed that have ever answered.
  std::optional<TimePoint> waiting_since;  ///< Since when the central queue has not been empty.

  bool operator==(const FleetState&) const = default;
};

FleetState start_fleet(TimePoint now);

/// The departing executor with that id; null if there is none.
DepartingExecutor* find_departing(FleetState& state, std::string_view id);

inline constexpr Duration kLongestOrderDelay = std::chrono::hours(1);

/// The delay after `failures` in a row: `first`, doubled each time, up to the maximum. Pure.
Duration order_delay(int failures, Duration first);

/// Whether the next order must still wait; never longer than the maximum delay, even if the clock
/// jumps. Pure.
bool must_wait(const OrderBackoff& backoff, TimePoint now);

/// The failed drain of the executor with that id if the next one must still wait; else null.
const FailedDrain* find_waiting_drain(const FleetState& state, std::string_view id, TimePoint now);

/// One more failure at `now`: the next order waits for `order_delay`.
void note_failure(OrderBackoff& backoff, Duration first, TimePoint now);

/// The state as JSON. Times are ages before `now`; `boot` identifies this boot of the machine.
/// Pure.
std::string write_state(const FleetState& state, TimePoint now, std::string_view boot);

/// The inverse. After another boot, the age of every time is unknown: all waits start again.
/// Returns a message if the text is invalid. Pure.
std::variant<FleetState, std::string> read_state(std::string_view text, TimePoint now,
                                                 std::string_view boot);

/// A state in a file that is complete at all times. Only one autoscaler may use it at a time.
class FleetStateFile {
 public:
  /// Throws std::runtime_error with one line if the folder is unusable or another autoscaler holds
  /// the file.
  explicit FleetStateFile(std::string path);

  /// The stored state; the initial state if there is none. Moves an unreadable file aside and says
  /// so in `note`.
  FleetState load(TimePoint now, std::string& note);
  /// Writes the state and syncs it to disk; returns the problem if it cannot.
  std::optional<std::string> save(const FleetState& state, TimePoint now);

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  Descriptor lock_;
  std::string boot_;
};

}  // namespace sluice
