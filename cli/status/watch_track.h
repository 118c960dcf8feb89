#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/status/host_view.h"

namespace sluice::cli {

/// The state of a host at one moment. Times are seconds on the caller's clock.
struct WatchSample {
  double at = 0;
  std::optional<double> window, usage, pending;  ///< Points, points, jobs.
  std::optional<double> pressure;                ///< The highest of all sensors.
};

/// A cut of the window.
struct WatchCut {
  double at = 0;
  std::string text;  ///< "cut 40 -> 20 points by load: load 6.0 of at most 5.0"
};

/// The last minutes of a host: the daemon's timeline and the samples since.
struct WatchTrack {
  /// The time span that charts show, in seconds.
  static constexpr double kSpan = 600;

  std::deque<WatchSample> samples;  ///< In time order.
  std::vector<WatchCut> cuts;       ///< The most recent ones, oldest first.

  /// Adds a sample and drops those too old to be shown.
  void add(const WatchSample& sample);

  /// `cells` values for the span that ends at `now`, each the maximum of its part; nullopt for
  /// parts without samples.
  std::vector<std::optional<double>> cells(std::optional<double> WatchSample::*what, double now,
                                           std::size_t cells) const;
};

/// The sample for a view.
WatchSample sample_of(const HostView& view, double now);

/// From the answer to GET /v1/timeline, received at `now`. Throws std::runtime_error if it does not
/// match the API.
WatchTrack track_of(std::string_view timeline_json, double now);

}  // namespace sluice::cli
