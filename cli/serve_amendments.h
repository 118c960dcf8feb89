#pragma once

#include <optional>
#include <string>

#include "service/daemon/daemon.h"

namespace sluice::cli {

/// What the command line of `sluice serve` says of a configuration, whenever it is read.
struct ServeAmendments {
  std::optional<std::string> state_dir, listen, socket;
  bool for_this_user = false;

  void operator()(Config& config) const;
};

/// Makes a daemon one of this user's own builds: it serves this user alone, and beside programs
/// that keep the CPUs busy it uses half of them.
void serve_own_builds(ServeOptions& options, ServeAmendments& amendments);

}  // namespace sluice::cli
