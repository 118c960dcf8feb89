#include "cli/batch/intake.h"

#include <utility>

namespace sluice::cli {
namespace {

bool is_special(const JobRequest& job) {
  return job.priority || !job.queue.empty() || job.locks || job.global_lock ||
         !job.resources.empty() || !job.reasons.empty();
}

}  // namespace

void tell_dropped(const BatchTable::Dropped& dropped, BatchReporter& reporter,
                  BatchOutput& output) {
  for (const auto& [job, why] : dropped) {
    reporter.left(job, BatchReporter::Left::cancelled, why);
    output.skip(job.seq);
  }
}

BatchIntake::BatchIntake(BatchWork& work, const BatchSettings& settings,
                         const AdmissionBackend& backend, BatchTable& table,
                         BatchReporter& reporter, BatchOutput& output)
    : work_(work),
      suspendable_(settings.reservation.brake == ReservationOptions::Brake::suspend),
      check_([&backend](const JobRequest& job) { return backend.check(job); }),
      table_(table),
      reporter_(reporter),
      output_(output),
      specials_(work.jobs_differ) {}

bool BatchIntake::take_known() {
  for (BatchJob& job : std::exchange(work_.jobs, {})) enlist(std::move(job));
  if (work_.source.is_stream()) return true;
  auto all = read_all(work_, check_);
  if (const auto* problems = std::get_if<std::vector<std::string>>(&all)) {
    for (const std::string& problem : *problems) reporter_.problem(problem);
    return false;
  }
  for (BatchJob& job : std::get<std::vector<BatchJob>>(all)) enlist(std::move(job));
  return true;
}

bool BatchIntake::take_line() {
  const auto line = work_.source.next();
  if (!line) return false;
  std::vector<std::string> problems;
  auto job = read_job(work_, *line, check_, problems);
  if (problems.empty()) {
    if (job) enlist(*std::move(job));
    return true;
  }
  output_.skip(work_.input.jobs());
  reporter_.bad_line(problems.front());
  table_.count_bad_line();
  return true;
}

void BatchIntake::enlist(BatchJob job) {
  job.request.suspendable = suspendable_;
  const auto skips = work_.resume.skips(job);
  if (std::holds_alternative<bool>(skips) && std::get<bool>(skips)) {
    reporter_.left(job, BatchReporter::Left::skipped, "it is in the joblog");
    output_.skip(job.seq);
    tell_dropped(table_.skip(job), reporter_, output_);
    return;
  }
  specials_ = specials_ || is_special(job.request);
  tell_dropped(table_.add(std::move(job), Clock::now()), reporter_, output_);
}

}  // namespace sluice::cli
