#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// An executor that the scaler was told to make, and that was not seen yet.
struct OrderedExecutor {
  std::string name;
  TimePoint since;

  bool operator==(const OrderedExecutor&) const = default;
};

/// An executor that is to go.
struct DepartingExecutor {
  /// `draining`: it takes no more work, and goes if it is idle at the next look; `since` it was
  /// listed last. `ending`: the scaler says that it is removed, `since` then.
  enum class Step { draining, ending };
  std::string id;
  Step step = Step::draining;
  TimePoint since;

  bool operator==(const DepartingExecutor&) const = default;
};

/// A kind of order that fails is given less and less often.
struct OrderBackoff {
  int failures = 0;  ///< In a row.
  TimePoint retry;   ///< Not before.

  bool operator==(const OrderBackoff&) const = default;
};

/// All that an autoscaler must not forget.
struct FleetState {
  AutoscaleState rules;
  std::vector<OrderedExecutor> ordered;
  std::vector<DepartingExecutor> departing;
  OrderBackoff adding, removing;
  std::vector<std::string> known;          ///< Executors of the last look that ever answered.
  std::optional<TimePoint> waiting_since;  ///< When the central queue was last empty.

  bool operator==(const FleetState&) const = default;
};

FleetState start_fleet(TimePoint now);

inline constexpr Duration kLongestOrderDelay = std::chrono::hours(1);

/// After `failures` in a row: `first`, doubled each time, up to the longest. Pure.
Duration order_delay(int failures, Duration first);

/// As JSON. Times are ages before `now`; `boot` names this start of the machine. Pure.
std::string write_state(const FleetState& state, TimePoint now, std::string_view boot);

/// The other way. After another boot nothing is known of how long ago anything was: all that was
/// waited for is waited for again. Otherwise what is wrong with the text. Pure.
std::variant<FleetState, std::string> read_state(std::string_view text, TimePoint now,
                                                 std::string_view boot);

/// A state in a file that is whole whatever happens. One autoscaler at a time.
class FleetStateFile {
 public:
  /// Throws std::runtime_error with one line where the folder cannot be used, or another autoscaler
  /// has the file.
  explicit FleetStateFile(std::string path);
  FleetStateFile(const FleetStateFile&) = delete;
  FleetStateFile& operator=(const FleetStateFile&) = delete;
  ~FleetStateFile();

  /// What was kept; that of a start where there is none. A file that cannot be read as one is moved
  /// aside, and `note` says so.
  FleetState load(TimePoint now, std::string& note);
  /// Writes it, down to the disk; what is wrong if it cannot.
  std::optional<std::string> save(const FleetState& state, TimePoint now);

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  int lock_ = -1;
  std::string boot_;
};

}  // namespace sluice
