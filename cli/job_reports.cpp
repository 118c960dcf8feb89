#include "cli/job_reports.h"

#include <poll.h>

#include "service/usage_body.h"

namespace sluice::cli {
namespace {

constexpr int kPatience = 1000;  ///< Milliseconds.

std::string_view outcome_of(const CommandEnd& end) {
  if (end.oom_killed) return "oom";
  const bool ok = end.status == 0 && end.signal == 0 && end.problem.empty();
  return ok ? "ok" : "failed";
}

}  // namespace

bool JobReports::take_answer(int milliseconds) {
  pollfd ready{client_.descriptor(), POLLIN, 0};
  while (waiting_ && poll(&ready, 1, milliseconds) == 1) {
    const auto answer = client_.receive();
    if (!answer) continue;
    waiting_ = false;
    broken_ = std::holds_alternative<std::string>(*answer);
  }
  return !waiting_ && !broken_;
}

void JobReports::running(const JobUsage& usage) {
  if (broken_ || (waiting_ && !take_answer(0))) return;
  broken_ = client_.send("POST", "/v1/jobs/" + job_ + "/heartbeat", usage_body(usage)).has_value();
  waiting_ = !broken_;
}

void JobReports::ended(const CommandEnd& end) {
  if (broken_ || (waiting_ && !take_answer(kPatience))) return;
  const std::string target = "/v1/jobs/" + job_ + "?outcome=" + std::string(outcome_of(end));
  // What never began says nothing about what the job needs.
  const std::string body = end.problem.empty() ? usage_body(end.usage) : "";
  if (client_.send("DELETE", target, body)) return;
  waiting_ = true;
  take_answer(kPatience);
}

}  // namespace sluice::cli
