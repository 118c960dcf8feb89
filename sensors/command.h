#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sensors/child_process.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// With a limit: printed number / limit, red at the limit; a non-zero exit status is a failure.
/// Without: exit status 0 is pressure 0, 1 is pressure 1, anything else a failure; the first line
/// of output becomes the sentence. `name` is the command's.
Result<Reading> command_reading(const CommandOutcome& outcome, std::optional<double> limit,
                                const std::string& name);

/// A sensor of kind `command`. Blocks until the command ends, at most `timeout`. Not thread-safe.
class CommandSensor {
 public:
  CommandSensor(std::vector<std::string> command, std::optional<double> limit, Duration timeout)
      : command_(std::move(command)), limit_(limit), timeout_(timeout) {}
  Result<Reading> read(TimePoint now);

 private:
  std::vector<std::string> command_;
  std::optional<double> limit_;
  Duration timeout_;
};

}  // namespace sluice
