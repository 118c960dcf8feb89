#include "launch/asking.h"

#include <chrono>
#include <utility>

#include "base/daemon_sentences.h"

namespace sluice {
namespace {

/// How long a daemon may take to answer beyond the time for which it holds the answer back. Longer
/// than any answer takes on a busy host, and each build pays it once at most.
constexpr Duration kAnswer = std::chrono::seconds(2);

/// How long it holds the answer back: at first until people are told why, then until the reason may
/// have changed.
constexpr Duration kFirstWait = std::chrono::seconds(2);
constexpr Duration kWait = std::chrono::seconds(5);

/// A restart takes less; the jobs that wait would all start at once instead.
constexpr Duration kRestart = std::chrono::seconds(5);

/// A daemon that accepts connections and closes each is no use.
constexpr int kMostLosses = 3;

}  // namespace

AskStep Asking::begin() {
  return SendRequest{"POST", "/v1/jobs", submit_body(submission_), kAnswer};
}

AskStep Asking::answered(const ClientReply& reply) {
  auto answer = read_answer(reply, socket_);
  if (std::holds_alternative<Unreadable>(answer)) {
    return RunUngoverned{kNotFromSluice};
  }
  if (const auto* refusal = std::get_if<DaemonError>(&answer)) return refused(*refusal);
  auto& job = std::get<JobAnswer>(answer);
  if (job.was_deduplicated) return RunUngoverned{kAlikeWaits};
  if (job.state == JobAnswer::State::running) {
    return RunGoverned{std::move(job), submission_.lease};
  }
  if (job.state == JobAnswer::State::pending) return waiting(job);
  if (!job.was_cancelled) return lost();
  return GiveUp{"the job was cancelled" + (job.reason.empty() ? "" : ": " + job.reason)};
}

AskStep Asking::waiting(const JobAnswer& answer) {
  last_ = answer;
  const Duration wait = std::exchange(waited_, true) ? kWait : kFirstWait;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait).count();
  return SendRequest{"GET", "/v1/jobs/" + answer.number + "?wait=" + std::to_string(seconds) + "s",
                     "", wait + kAnswer};
}

AskStep Asking::refused(const DaemonError& refusal) {
  if (refusal.code == "no_process" && submission_.lease == Submission::Lease::peer) {
    submission_.lease = Submission::Lease::connection;
    return begin();
  }
  if (refusal.code == "stopping") {
    is_leaving_ = true;
    return lost();
  }
  // A next daemon that kept no state does not know it.
  if (refusal.code == "no_such_job" && !std::exchange(was_forgotten_, true)) return begin();
  return RunUngoverned{"the daemon refuses: " + refusal.message};
}

AskStep Asking::lost() {
  if (++losses_ > kMostLosses) return RunUngoverned{"the daemon closes every connection"};
  return Reconnect{is_leaving_ ? kRestart : Duration{0}};
}

AskStep Asking::silent() const {
  return RunUngoverned{"the daemon at " + socket_ + " does not answer", true};
}

AskStep Asking::reconnected() {
  is_leaving_ = false;
  return begin();
}

AskStep Asking::not_reconnected(Socket socket) {
  // Its last word may have missed this connection, between two requests.
  const bool left_unheard =
      waited_ && socket == Socket::removed && !std::exchange(is_leaving_, true);
  if (left_unheard) return Reconnect{kRestart};
  return RunUngoverned{"the daemon at " + socket_ + " is gone"};
}

}  // namespace sluice
