#pragma once

#include <string>

namespace sluice::cli {

struct WatchArguments {
  enum class As { people, json };
  std::string socket;  ///< Of the daemon; empty: by the usual way.
  double every = 1;    ///< Seconds between two looks.
  As as = As::people;
};

/// `sluice status --watch`, until a signal or a key ends it; its exit status. On a terminal one
/// screen, elsewhere one text after the other. Throws std::runtime_error where there is no daemon
/// at the start.
int watch(const WatchArguments& arguments);

}  // namespace sluice::cli
