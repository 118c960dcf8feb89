#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/batch/input.h"
#include "cli/batch/job.h"
#include "cli/batch/joblog.h"
#include "cli/batch/source.h"
#include "sluice/job.h"

namespace sluice::cli {

/// Which jobs an earlier joblog lets a batch skip.
struct BatchResume {
  /// `done`: jobs in the joblog, as GNU parallel does; `ended_ok`: those that ended ok.
  enum class Skip { none, done, ended_ok };
  Skip skip = Skip::none;
  JoblogPast past;
  std::string path;  ///< Of the joblog.

  /// Whether to skip the job; or the problem, if the joblog has another command for it.
  std::variant<bool, std::string> skips(const BatchJob& job) const;
};

/// The input of a batch run.
struct BatchWork {
  std::vector<BatchJob> jobs;  ///< Known in advance; the source's jobs follow them.
  BatchSource source{{}};
  BatchInput input{"", std::nullopt, {}};
  BatchResume resume;
  std::unique_ptr<Joblog> joblog;  ///< Null if none is written.
  /// The configuration has rules or resources, so that any job may wait for something of its own.
  bool jobs_differ = false;
};

/// All jobs of a source that is not a stream; otherwise the problems of its lines, one line each.
/// `check` returns the problem with a job as declared, or "".
std::variant<std::vector<BatchJob>, std::vector<std::string>> read_all(
    BatchWork& work, const std::function<std::string(const JobRequest&)>& check);

}  // namespace sluice::cli
