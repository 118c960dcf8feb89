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
      backend_(backend),
      table_(table),
      reporter_(reporter),
      output_(output),
      specials_(work.jobs_differ) {}

bool BatchIntake::take_known() {
  for (BatchJob& job : std::exchange(work_.jobs, {})) enlist(std::move(job));
  if (work_.source.is_stream()) return true;
  auto all = read_all(work_, [this](const JobRequest& job) { return backend_.check(job); });
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
  auto taken = work_.input.parse_line(*line);
  std::string problem;
  if (const auto* wrong = std::get_if<BatchProblem>(&taken)) {
    problem = to_sentence(work_.input.place(), *wrong);
    output_.skip(work_.input.jobs());
  } else if (auto* job = std::get_if<BatchJob>(&taken)) {
    problem = problem_of(*job);
    if (problem.empty()) enlist(std::move(*job));
  }
  if (problem.empty()) return true;
  reporter_.bad_line(problem);
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

std::string BatchIntake::problem_of(const BatchJob& job) {
  const auto skips = work_.resume.skips(job);
  if (const auto* other = std::get_if<std::string>(&skips)) {
    output_.skip(job.seq);
    return *other;
  }
  const std::string wrong = backend_.check(job.request);
  if (wrong.empty()) return "";
  output_.skip(job.seq);
  return job.place + ": " + wrong;
}

}  // namespace sluice::cli
