#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/waiting_line.h"

namespace sluice::cli {

/// What `sluice build` was asked for.
struct BuildArguments {
  enum class Output { text, json };
  /// The daemon that governs the build: the one that is reachable, else one for this user, which
  /// stays for the user's next builds; or one that ends with the build.
  enum class Governed { together, alone };

  /// What gets permits: the processes of the build, each at its own need, or the tool's tokens.
  enum class By { processes, tokens };

  By by = By::processes;
  Governed governed = Governed::together;
  std::string socket;          ///< Of a daemon to use; empty for the default search.
  std::string config;          ///< Of a daemon that is started for this build alone.
  std::string state_dir;       ///< Likewise.
  std::string key;             ///< Empty to derive it from the command.
  int priority = 0;            ///< Of its jobs against those of other builds; larger goes first.
  std::size_t most_jobs = 0;   ///< 0: no cap.
  std::string style = "auto";  ///< How tokens are passed.
  bool verbose = false;
  WaitTelling telling = WaitTelling::told;
  Output output = Output::text;
  std::vector<std::string> command;
};

}  // namespace sluice::cli
