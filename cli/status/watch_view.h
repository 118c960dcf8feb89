#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/status/host_view.h"
#include "cli/status/input_monitor.h"
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

/// What the user has chosen to see.
struct WatchChoice {
  enum class Order { place, longest, cost, name };
  /// Jobs scrolled past in the list that fills the screen, running ones first, then waiting ones;
  /// nullopt: everything is shown, and as many jobs as there is room for.
  std::optional<std::size_t> first;
  Order order = Order::place;
  bool shows_help = false;

  /// How many jobs of each kind a screen of `lines` lines needs.
  std::size_t most_jobs(std::size_t lines) const;
};

/// The choice after a key press, given the total number of jobs and lines on the screen. Pure.
WatchChoice after_key(WatchChoice choice, Key key, std::size_t jobs, std::size_t lines);

/// One screen: as many lines as the style's height, none longer than its width; counts what does
/// not fit. Without a height, everything. Pure.
std::vector<std::string> frame_of(const Watched& watched, const Style& style,
                                  const WatchChoice& choice = {});

}  // namespace sluice::cli
