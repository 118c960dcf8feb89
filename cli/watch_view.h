#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/host_view.h"
#include "cli/terminal.h"
#include "cli/watch_track.h"

namespace sluice::cli {

/// All that a frame of `sluice status --watch` shows.
struct Watched {
  std::string place;  ///< Of the daemon.
  std::string clock;  ///< The time of day, for people.
  double now = 0;     ///< On the clock of `track`.
  /// Since when it does not answer, and why; the view is the last one then.
  std::optional<std::string> lost;
  /// Since when an answer is waited for, on the clock of `track`; none: nothing is asked.
  std::optional<double> asked;
  HostView view;
  WatchTrack track;
};

/// One screen: as many lines as the style's height, none longer than its width; what there is no
/// room for is counted. Without a height all of it. Pure.
std::vector<std::string> frame_of(const Watched& watched, const Style& style);

}  // namespace sluice::cli
