#include "cli/serve_amendments.h"

#include <unistd.h>

namespace sluice::cli {

void ServeAmendments::operator()(Config& config) const {
  if (state_dir) config.governing.state_dir = state_dir;
  if (listen) config.service.listen = *listen;
  if (socket) config.service.socket = *socket;
  if (!for_this_user) return;
  config.service.allow_uids = {std::to_string(geteuid())};
  config.service.allow_gids.clear();
}

void serve_own_builds(ServeOptions& options, ServeAmendments& amendments) {
  // Users who build on a machine that others keep busy want to get on all the same.
  options.when_red = GovernorOptions::WhenRed::use_half;
  amendments.for_this_user = true;
}

}  // namespace sluice::cli
