#pragma once

#include "cli/jobserver/tool_command.h"

namespace sluice::cli {

/// What `sluice build` was asked for.
struct BuildArguments : ToolCommand {
  /// The daemon that governs the build: the one that is reachable, else one for this user, which
  /// stays for the user's next builds; or one that ends with the build.
  enum class Governed { together, alone };
  /// What gets permits: the processes of the build, each at its own need, or the tool's tokens.
  enum class By { processes, tokens };

  By by = By::processes;
  Governed governed = Governed::together;
  int priority = 0;  ///< Of its jobs against those of other builds; larger goes first.
};

}  // namespace sluice::cli
