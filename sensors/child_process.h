#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sensors/result.h"
#include "sluice/units.h"

namespace sluice {

/// How a command ended that ran to its end.
struct CommandOutcome {
  int exit_status = 0;
  std::string output;  ///< Standard output, as far as it was kept.
};

inline constexpr std::size_t kMostOutput = 4096;

/// What a command may leave behind.
struct CommandManner {
  /// What becomes of children of its own that it leaves when it ends in time.
  enum class Leftovers { end, stay };
  Leftovers leftovers = Leftovers::end;
  std::size_t most_output = kMostOutput;  ///< Of its output so many bytes are kept.
};

/// Runs a program without a shell, in a process group of its own, with nothing on its standard
/// input and its errors thrown away. Blocks until it ends or `timeout` is over; then, and when it
/// ends with processes of its own left that are not to stay, all of them are killed, in whatever
/// group or session. A program that cannot be started, is killed or takes too long is a failure.
/// Thread-safe. All is killed as well when this process ends, so that nothing outlives its sensor.
Result<CommandOutcome> run_command(const std::vector<std::string>& command, Duration timeout,
                                   CommandManner manner = {});

}  // namespace sluice
