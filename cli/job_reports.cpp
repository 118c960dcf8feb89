#include "cli/job_reports.h"

#include <boost/json.hpp>
#include <chrono>
#include <thread>

#include "base/readiness.h"
#include "client/answer.h"
#include "client/answer_fields.h"
#include "service/protocol/usage_body.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr Duration kPatience = std::chrono::seconds(1);

/// After this long without an answer, the daemon suspends nothing.
constexpr Duration kSilent = std::chrono::seconds(5);

/// How often to check whether a daemon is back.
constexpr Duration kPollInterval = std::chrono::seconds(1);

/// How long to wait for a restarting daemon to report the end of the job.
constexpr Duration kReportPatience = std::chrono::seconds(5);
constexpr auto kReportPoll = std::chrono::milliseconds(100);

std::string_view outcome_of(const CommandEnd& end) {
  if (end.oom_killed) return "oom";
  const bool ok = end.status == 0 && end.signal == 0 && end.problem.empty();
  return ok ? "ok" : "failed";
}

}  // namespace

void JobReports::hear(Duration patience) {
  while (!broken_ && is_readable(client_.descriptor(), waiting_ ? patience : Duration{0})) {
    const auto answer = client_.receive();
    if (!answer) continue;
    const auto* reply = std::get_if<ClientReply>(&*answer);
    // The daemon sends nothing unasked; anything readable then is the end of the connection.
    broken_ = !reply || !waiting_;
    waiting_ = false;
    if (reply) understand(*reply);
  }
}

void JobReports::understand(const ClientReply& answer) {
  cause_.clear();
  const auto job = answer_object(answer);
  // If the daemon kept no state, another job may have the number.
  if (std::exchange(asks_for_job_, false) && (!job || process_of(*job) != process_)) {
    process_.reset();
    broken_ = true;
    return;
  }
  const json::object* suspended = job ? object_at(*job, "suspended") : nullptr;
  if (suspended) cause_ = text_at(*suspended, "message");
}

void JobReports::regain(TimePoint now) {
  if (!process_ || (tried_ && now - *tried_ < kPollInterval)) return;
  tried_ = now;
  if (client_.reconnect()) return;
  waiting_ = !client_.send("GET", "/v1/jobs/" + job_);
  broken_ = !waiting_;
  asks_for_job_ = waiting_;
  asked_ = now;
}

void JobReports::measured(const JobUsage& usage) {
  hear(Duration{0});
  if (broken_) regain(Clock::now());
  if (broken_ || waiting_) return;
  broken_ = client_.send("POST", "/v1/jobs/" + job_ + "/heartbeat", usage_body(usage)).has_value();
  waiting_ = !broken_;
  asked_ = Clock::now();
}

bool JobReports::holds_back(TimePoint now) {
  hear(Duration{0});
  const bool is_silent = waiting_ && now - asked_ > kSilent;
  if (broken_ || is_silent) cause_.clear();
  const bool held = !cause_.empty();
  if (std::exchange(held_, held) != held) tell_(held ? "suspended: " + cause_ : "resumed");
  return held;
}

void JobReports::ended(const CommandEnd& end) {
  hear(kPatience);
  for (const TimePoint until = Clock::now() + kReportPatience; broken_ && process_;) {
    tried_.reset();
    regain(Clock::now());
    hear(kPatience);
    if (!broken_ || Clock::now() >= until) break;
    std::this_thread::sleep_for(kReportPoll);
  }
  if (broken_ || waiting_) return;
  const std::string target = "/v1/jobs/" + job_ + "?outcome=" + std::string(outcome_of(end));
  // A command that did not start says nothing about the job's needs.
  const std::string body = end.problem.empty() ? usage_body(end.usage) : "";
  if (client_.send("DELETE", target, body)) return;
  waiting_ = true;
  hear(kPatience);
}

}  // namespace sluice::cli
