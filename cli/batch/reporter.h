#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/batch/admission_backend.h"
#include "cli/batch/joblog.h"
#include "cli/batch/output.h"
#include "cli/batch/processes.h"
#include "cli/batch/run_summary.h"
#include "cli/batch/settings.h"
#include "cli/batch/table.h"
#include "cli/batch/verdict.h"
#include "cli/terminal/live_screen.h"
#include "cli/terminal/non_blocking_writer.h"
#include "cli/terminal/terminal.h"
#include "client/waiting_line.h"

namespace sluice::cli {

/// Reports the progress of a batch to people and programs: on standard error by default, except for
/// JSON objects, which go to standard output and contain the jobs' output.
class BatchReporter {
 public:
  /// Why a job is not among those that ended.
  enum class Left { skipped, cancelled, stopped };

  /// `settings` and `output` must outlive it.
  BatchReporter(const BatchSettings& settings, BatchOutput& output, TimePoint began);

  void problem(const std::string& what);
  /// The same, unless it was told before.
  void problem_once(const std::string& what);
  /// Why a job did not start, once for each reason, if nothing else says so.
  void explain_if_quiet(const BatchJob& job, const std::string& why);
  /// A problem that counts as a failed job.
  void bad_line(const std::string& what);
  void started(const BatchJob& job, int attempt, std::int64_t cost);
  /// `streams`: its output, for a program.
  void finished(const JoblogLine& line, const std::string& how, const std::string& last_words,
                const JobStreams& streams);
  void retried(const BatchJob& job, int attempt, const std::string& how);
  void left(const BatchJob& job, Left left, const std::string& why);
  /// A job that may not run, which counts as a failed one.
  void refused(const BatchJob& job, const std::string& why);
  void changed(const WindowChange& change);
  void braked(const BatchJob& job, const BrakeAction& action);
  /// The batch may last no longer, although jobs are left.
  void out_of_time() { is_out_of_time_ = true; }

  /// Tells why no job runs, if that has lasted for two seconds; the live view always shows it.
  /// `wait`: why the first job waits while none runs.
  void explain_wait(const std::optional<AdmissionBackend::Wait>& wait, TimePoint now);

  /// Passes the governor's current state, if known, to the summary.
  void observe(const AdmissionBackend& backend);
  /// The same, and redraws the live view when it is due.
  void show(const AdmissionBackend& backend, const BatchProcesses& processes, BatchTable& table,
            TimePoint now);
  /// Passes the jobs' output on, above the live view; false: see `BatchOutput::pump`.
  bool pass_output();
  /// Removes the live view for good.
  void hide() { screen_.hide(); }
  void sum_up(const BatchProcesses& processes, std::size_t known, TimePoint now);

  /// Text not yet taken by the reader for people.
  NonBlockingWriter& people() { return screen_.writer(); }

  std::size_t finished() const { return summary_.finished(); }
  std::size_t failed() const { return summary_.failed(); }

 private:
  void line(const std::string& text);
  /// A line for programs.
  void tell(const boost::json::object& event);
  /// About one job, or about a problem.
  void say(const std::string& text) { line(settings_.speaker + ": " + text); }
  void draw(const AdmissionBackend& backend, const BatchProcesses& processes, BatchTable& table,
            TimePoint now);
  std::string progress(const BatchTable& table, std::size_t running, TimePoint now) const;
  std::string time(TimePoint now) const;
  /// nullopt if nobody asked for one.
  std::optional<BatchVerdict> verdict(const BatchProcesses& processes, std::size_t known,
                                      TimePoint now) const;
  std::string further_text(const BatchProcesses& processes) const;

  const BatchSettings& settings_;
  LiveScreen screen_;
  BatchOutput& output_;
  Style style_;
  RunSummary summary_;
  bool is_out_of_time_ = false;
  std::set<std::string> told_;  ///< Problems and reasons that are told once.
  std::vector<MeasuredRun> runs_;
  std::optional<sluice::WaitingLine> nothing_runs_;  ///< While jobs wait and none runs.
  TimePoint shown_;
  std::size_t skipped_ = 0, cancelled_ = 0, retried_ = 0, oom_killed_ = 0, timed_out_ = 0;
  std::uint64_t largest_ = 0;  ///< Bytes.
  std::string largest_name_;
};

}  // namespace sluice::cli
