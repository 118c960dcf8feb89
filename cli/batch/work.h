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
  /// Whether the joblog says that the job ended ok.
  bool ended_ok(const BatchJob& job) const;
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

/// Returns the problem with a job as declared, or "".
using CheckJob = std::function<std::string(const JobRequest&)>;

/// The job of a line of the source; nullopt if the line is skipped or has none. Adds what is wrong
/// with it to `problems`, one line each.
std::optional<BatchJob> read_job(BatchWork& work, const std::string& line, const CheckJob& check,
                                 std::vector<std::string>& problems);

/// All jobs of a source that is not a stream; otherwise the problems of its lines, one line each.
std::variant<std::vector<BatchJob>, std::vector<std::string>> read_all(BatchWork& work,
                                                                       const CheckJob& check);

}  // namespace sluice::cli
