#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/status/host_view.h"

namespace sluice::cli {

/// What a host was like at one moment. Times are seconds of a clock of the caller's.
struct WatchSample {
  double at = 0;
  std::optional<double> window, usage, pending;  ///< Points, points, jobs.
  std::optional<double> pressure;                ///< The largest of all sensors.
};

/// A window that was made smaller.
struct WatchCut {
  double at = 0;
  std::string text;  ///< "40 to 20 points, red (load): load 6.0 of at most 5.0"
};

/// The last minutes of a host: what the daemon remembers, and what was seen since.
struct WatchTrack {
  /// How far back pictures go, in seconds.
  static constexpr double kSpan = 600;

  std::deque<WatchSample> samples;  ///< In order of time.
  std::vector<WatchCut> cuts;       ///< The last ones, oldest first.

  /// Adds one that was seen, and forgets what is too old to be shown.
  void add(const WatchSample& sample);

  /// `cells` values for the span that ends at `now`, the largest of each part; none where nothing
  /// was seen.
  std::vector<std::optional<double>> cells(std::optional<double> WatchSample::*what, double now,
                                           std::size_t cells) const;
};

/// What a view says of this moment.
WatchSample sample_of(const HostView& view, double now);

/// From the answer to GET /v1/history that has just come. Throws std::runtime_error if it is not
/// what the API promises.
WatchTrack track_of(std::string_view history_json, double now);

}  // namespace sluice::cli
