#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>

#include "cli/batch/halt.h"
#include "cli/batch/order.h"
#include "cli/batch/output.h"
#include "process/runner.h"
#include "sluice/options.h"
#include "sluice/units.h"

namespace sluice::cli {

/// How a batch is run, apart from what it runs.
struct BatchSettings {
  /// What is told besides the jobs' own output: only what is wrong, failures and a summary, each
  /// job's end as well, a view that is redrawn in place, or JSON objects.
  enum class Telling { quiet, plain, verbose, live, json };
  /// Jobs' output: kept until the job ends, passed through while it runs, or kept to itself but
  /// for the last words of a job that failed.
  enum class Passing { grouped, ungrouped, withheld };

  std::string speaker = "sluice batch";  ///< In front of what is said of single jobs.
  int told_on = STDERR_FILENO;           ///< Where people read; programs read standard output.
  Telling telling = Telling::plain;
  Passing passing = Passing::grouped;
  BatchOrder::By order = BatchOrder::By::longest;
  BatchOutput::Order output = BatchOutput::Order::as_they_end;
  BatchOutput::Lines lines = BatchOutput::Lines::plain;
  BatchHalt halt;
  int retries = 0;  ///< Times that a job that failed is run again.
  std::optional<std::size_t> most_running;
  std::optional<Duration> timeout;
  std::optional<int> nice;  ///< Of jobs that do not say their own.
  Runner::Groups groups = Runner::Groups::automatic;
  ReservationOptions reservation;
  int brake_retries = 0;  ///< Times that the brake may end a job, for it to run again.
};

}  // namespace sluice::cli
