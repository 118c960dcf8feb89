#include "cli/batch/work.h"

#include <utility>

namespace sluice::cli {

std::variant<bool, std::string> BatchResume::skips(const BatchJob& job) const {
  if (skip == Skip::none) return false;
  const auto verdict = past.verdict(job.seq, job.line);
  if (verdict == JoblogPast::Verdict::other_command) {
    return job.place + ": job " + std::to_string(job.seq) + " differs from the one in " + path +
           " (" + past.command_of(job.seq) + "): a joblog resumes only the input it came from";
  }
  if (verdict == JoblogPast::Verdict::failed) return skip == Skip::done;
  return verdict == JoblogPast::Verdict::ended_ok;
}

bool BatchResume::ended_ok(const BatchJob& job) const {
  return past.verdict(job.seq, job.line) == JoblogPast::Verdict::ended_ok;
}

std::optional<BatchJob> read_job(BatchWork& work, const std::string& line, const CheckJob& check,
                                 std::vector<std::string>& problems) {
  auto taken = work.input.parse_line(line);
  if (const auto* wrong = std::get_if<BatchProblem>(&taken)) {
    problems.push_back(to_sentence(work.input.place(), *wrong));
  }
  auto* job = std::get_if<BatchJob>(&taken);
  if (!job) return std::nullopt;
  const auto skips = work.resume.skips(*job);
  if (const auto* other = std::get_if<std::string>(&skips)) problems.push_back(*other);
  const std::string wrong = check(job->request);
  if (!wrong.empty()) problems.push_back(job->place + ": " + wrong);
  return std::move(*job);
}

std::variant<std::vector<BatchJob>, std::vector<std::string>> read_all(BatchWork& work,
                                                                       const CheckJob& check) {
  std::vector<BatchJob> jobs;
  std::vector<std::string> problems;
  while (const auto line = work.source.next()) {
    if (auto job = read_job(work, *line, check, problems)) jobs.push_back(*std::move(job));
  }
  if (!problems.empty()) return problems;
  return jobs;
}

}  // namespace sluice::cli
