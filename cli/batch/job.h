#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/job.h"

namespace sluice::cli {

/// One command of a batch.
struct BatchJob {
  std::size_t seq = 0;             ///< Its number in the input, from 1.
  std::string place;               ///< Where it stands: "jobs.txt:3".
  JobRequest request;              ///< `after` is left to the batch, which knows of retries.
  std::vector<std::string> after;  ///< Ids of earlier jobs.
  std::vector<std::string> argv;   ///< Program and arguments; empty: `line` is to be run.
  std::string line;                ///< As a shell would take it; for people, too.
  std::string tag;                 ///< In front of its output lines: its argument, id or line.
  std::string directory;           ///< Empty: here.
};

}  // namespace sluice::cli
