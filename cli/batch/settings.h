#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>

#include "cli/batch/halt.h"
#include "cli/batch/order.h"
#include "cli/batch/output.h"
#include "cli/batch/verdict.h"
#include "process/runner.h"
#include "sluice/options.h"
#include "sluice/units.h"

namespace sluice::cli {

/// How to run a batch, apart from its jobs.
struct BatchSettings {
  /// What to report besides the jobs' own output: problems, failures and a summary; each job's end
  /// as well; a view redrawn in place; or JSON objects.
  enum class Telling { quiet, plain, verbose, live, json };
  /// The jobs' output: held until the job ends, passed through while it runs, or withheld except
  /// for the last line of a failed job.
  enum class Passing { grouped, ungrouped, withheld };

  /// How long a batch may last, from its start.
  struct Span {
    Duration total;        ///< What people are told.
    Duration no_start;     ///< From then on no job starts.
    Duration end_running;  ///< Then those that still run are ended.
  };

  std::string speaker = "sluice batch";  ///< Prefix of messages about single jobs.
  int told_on = STDERR_FILENO;           ///< For people; standard output is for programs.
  Telling telling = Telling::plain;
  Passing passing = Passing::grouped;
  BatchOrder::By order = BatchOrder::By::longest;
  BatchOutput::Order output = BatchOutput::Order::as_they_end;
  BatchOutput::Lines lines = BatchOutput::Lines::plain;
  BatchHalt halt;
  int retries = 0;  ///< Times that a failed job runs again.
  std::optional<std::size_t> most_running;
  std::optional<Duration> timeout;
  std::optional<Span> span;
  std::optional<VerdictTerms> verdict;  ///< Shown after the summary; nullopt: none is.
  std::optional<int> nice;              ///< For jobs without their own.
  Runner::Groups groups = Runner::Groups::automatic;
  ReservationOptions reservation;
  int brake_retries = 0;  ///< Times that the brake may end a job that then runs again.
};

}  // namespace sluice::cli
