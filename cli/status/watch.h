#pragma once

#include <string>

namespace sluice::cli {

struct WatchArguments {
  enum class As { people, json };
  std::string socket;  ///< Of the daemon; empty for the default search.
  double every = 1;    ///< Seconds between two samples.
  As as = As::people;
};

/// `sluice status --watch`, until a signal or a key ends it; returns the exit status. Redraws one
/// screen on a terminal, else prints one text after another. Throws std::runtime_error if there is
/// no daemon at the start.
int watch(const WatchArguments& arguments);

}  // namespace sluice::cli
