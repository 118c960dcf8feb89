#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/status/attention.h"
#include "cli/status/host_view.h"
#include "cli/status/watch_track.h"
#include "cli/terminal/terminal.h"

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

/// What the person in front of the screen has chosen to see.
struct WatchChoice {
  enum class Order { place, longest, cost, name };
  std::size_t first = 0;  ///< Jobs scrolled past: of those that run, then of those that wait.
  Order order = Order::place;
  bool shows_help = false;

  /// How many jobs of each kind a screen of so many lines needs to be told of.
  std::size_t most_jobs(std::size_t lines) const;
};

/// What a key makes of it, where there are so many jobs in all on a screen of so many lines. Pure.
WatchChoice after_key(WatchChoice choice, Key key, std::size_t jobs, std::size_t lines);

/// One screen: as many lines as the style's height, none longer than its width; what there is no
/// room for is counted. Without a height all of it. Pure.
std::vector<std::string> frame_of(const Watched& watched, const Style& style,
                                  const WatchChoice& choice = {});

}  // namespace sluice::cli
