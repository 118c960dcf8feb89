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

/// What an earlier joblog lets a batch leave out.
struct BatchResume {
  /// `done`: jobs that it has, as GNU parallel does; `ended_ok`: those that ended ok.
  enum class Skip { none, done, ended_ok };
  Skip skip = Skip::none;
  JoblogPast past;
  std::string path;  ///< Of the joblog.

  /// Whether the job is to be left out; otherwise, where the joblog has another command for it,
  /// what is wrong.
  std::variant<bool, std::string> skips(const BatchJob& job) const;
};

/// What a batch is made of.
struct BatchWork {
  std::vector<BatchJob> jobs;  ///< Known already; what the source has comes after them.
  BatchSource source{{}};
  BatchInput input{"", std::nullopt, {}};
  BatchResume resume;
  std::unique_ptr<Joblog> joblog;  ///< None: none is kept.
  /// The configuration has rules or resources, so that any job may wait for something of its own.
  bool jobs_differ = false;
};

/// All jobs of a source that is no stream; otherwise what is wrong with its lines, a line each.
/// `check` gives what is wrong with a job as it stands, or nothing.
std::variant<std::vector<BatchJob>, std::vector<std::string>> read_all(
    BatchWork& work, const std::function<std::string(const JobRequest&)>& check);

}  // namespace sluice::cli
