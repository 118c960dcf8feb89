#pragma once

#include <cstddef>
#include <optional>

#include "cli/status/input_monitor.h"

namespace sluice::cli {

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

/// The choice after a key press, given the total number of jobs and lines on the screen, and how
/// many jobs, from the first one on, it lists while everything is shown. Pure.
WatchChoice after_key(WatchChoice choice, Key key, std::size_t jobs, std::size_t lines,
                      std::size_t listed = 0);

}  // namespace sluice::cli
