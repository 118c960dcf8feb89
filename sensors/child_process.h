#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sensors/files/result.h"
#include "sluice/units.h"

namespace sluice {

/// The result of a command that ran to its end.
struct CommandOutcome {
  int exit_status = 0;
  std::string output;  ///< Standard output, possibly truncated.
};

inline constexpr std::size_t kMostOutput = 4096;

/// Limits on what a command may leave behind.
struct CommandManner {
  /// Whether child processes that it leaves, when it ends in time, are killed or stay.
  enum class Leftovers { end, stay };
  Leftovers leftovers = Leftovers::end;
  std::size_t most_output = kMostOutput;  ///< Bytes of its output to keep.
};

/// Runs a program without a shell, in a process group of its own, with empty standard input and its
/// errors discarded. Blocks until it ends or `timeout` expires; then, or if it leaves processes
/// behind that may not stay, kills all of them, in whatever group or session. Fails if the program
/// cannot be started, is killed or takes too long. If this process ends, everything is killed too,
/// so that nothing outlives its sensor. Thread-safe.
Result<CommandOutcome> run_for_output(const std::vector<std::string>& command, Duration timeout,
                                      CommandManner manner = {});

}  // namespace sluice
