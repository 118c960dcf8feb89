#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/job.h"

namespace sluice::cli {

/// One command of a batch.
struct BatchJob {
  std::size_t seq = 0;             ///< Its number in the input, from 1.
  std::string place;               ///< Its position: "jobs.txt:3".
  JobRequest request;              ///< `after` is left to the batch, which handles retries.
  std::vector<std::string> after;  ///< Ids of earlier jobs.
  std::vector<std::string> argv;   ///< Program and arguments; empty: run `line`.
  std::string line;                ///< A shell command; also shown to people.
  std::string tag;                 ///< Prefix of its output lines: its argument, id or line.
  std::string directory;           ///< Empty for this process's.
};

}  // namespace sluice::cli
