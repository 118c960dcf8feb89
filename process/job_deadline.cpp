#include "process/job_deadline.h"

#include <signal.h>

#include <chrono>
#include <utility>

namespace sluice {
namespace {

constexpr Duration kGrace = std::chrono::seconds(2);  ///< Between SIGTERM and SIGKILL.

}  // namespace

JobDeadline::JobDeadline(std::optional<Duration> timeout, TimePoint now) : timeout_(timeout) {
  if (timeout) due_ = now + *timeout;
}

void JobDeadline::note_reason(Because because) {
  if (because_ == Because::itself) because_ = because;
}

void JobDeadline::ask(Runner& runner, pid_t job, Because because, TimePoint now) {
  if (std::exchange(is_asked_, true)) return;
  note_reason(because);
  due_ = now + kGrace;
  // A stopped job does not receive SIGTERM.
  if (runner.is_suspended(job)) {
    runner.end(job);
  } else {
    runner.signal(job, SIGTERM);
  }
}

void JobDeadline::enforce(Runner& runner, pid_t job, TimePoint now) {
  if (!due_ || now < *due_) return;
  if (is_asked_) {
    runner.end(job);
    due_ = now + kGrace;
    return;
  }
  // Time spent suspended does not count.
  const Duration left = *timeout_ - runner.measure(job).wall;
  if (left > std::chrono::milliseconds(1)) {
    due_ = now + left;
  } else {
    ask(runner, job, Because::timeout, now);
  }
}

}  // namespace sluice
