#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/status/host_view.h"
#include "cli/status/watch_choice.h"
#include "cli/status/watch_track.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

/// The data that a frame of `sluice status --watch` shows.
struct Watched {
  std::string place;  ///< The daemon's socket.
  std::string clock;  ///< The time of day, for people.
  double now = 0;     ///< On the clock of `track`.
  /// Since when it does not answer, and why; the view is then the last one received.
  std::optional<std::string> lost;
  /// When the pending request was sent, on the clock of `track`; nullopt if there is none.
  std::optional<double> asked;
  /// What each further daemon of this user is for, and its socket.
  std::vector<std::string> further;
  HostView view;
  WatchTrack track;
};

/// Jobs, from the first one on, that the screen lists while everything is shown. Pure.
std::size_t listed_jobs(const Watched& watched, const Style& style, WatchChoice choice);

/// One screen: as many lines as the style's height, none longer than its width; counts what does
/// not fit. Without a height, everything. Pure.
std::vector<std::string> frame_of(const Watched& watched, const Style& style,
                                  const WatchChoice& choice = {});

}  // namespace sluice::cli
