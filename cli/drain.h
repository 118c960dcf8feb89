#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice::cli {

/// What `sluice drain --wait` sees of the daemon at one look.
struct DrainLook {
  bool draining = true;
  std::int64_t running = 0;
  Duration waited{0};  ///< Since it was asked to drain.
};

/// What it makes of that: a line for people, an exit status when the waiting is over, or neither.
struct DrainVerdict {
  std::string line;
  std::optional<int> status;
};

/// 0 when nothing runs, 1 when somebody resumed it, 75 when `timeout` is over first; until then a
/// line each time that the number of jobs has changed since `said`. Pure.
DrainVerdict judge_drain(const DrainLook& look, std::optional<std::int64_t> said,
                         std::optional<Duration> timeout);

/// `sluice drain`.
void add_drain(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
