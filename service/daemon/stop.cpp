#include "service/daemon/impl.h"

namespace sluice {
namespace {
using boost::system::error_code;

/// How long a client may take to fetch its last answer.
constexpr Duration kFarewell = std::chrono::seconds(2);

}  // namespace

/// A second SIGTERM ends the wait.
void Daemon::Impl::terminate() {
  if (drain_) return stop_now("SIGTERM again");
  drain_.emplace(drain_on_stop_, Clock::now());
  governor_->drain();
  routes_.leave();
  sources_->drain();
  look_at_drain();
}

void Daemon::Impl::look_at_drain() {
  const StopDrain::Step step = drain_->poll(sources_->jobs(), Clock::now());
  if (step.is_over) return stop_now("SIGTERM");
  if (!step.told) return;
  log_(LogLevel::info, *step.told);
  manager_.draining(*step.told, StopDrain::kExtension);
}

void Daemon::Impl::stop_now(const std::string& why) {
  if (std::exchange(stopping_, true)) return;
  log_registration(registration_log_.rest());
  log_(LogLevel::info, "stopping: " + why);
  manager_.stopping();
  governor_->drain();
  sources_->stop();
  routes_.stop();
  server_.stop();
  statsd_.stop();
  await_clients(Clock::now() + kFarewell);
}

void Daemon::Impl::await_clients(TimePoint until) {
  const TimePoint now = Clock::now();
  const bool is_asked = server_.connections() > 0 && now < until;
  const bool is_at_work = sources_->jobs() > 0 && now < until + kFarewell;
  if (!is_asked && !is_at_work) return context_.stop();
  tick_timer_.expires_after(std::chrono::milliseconds(10));
  tick_timer_.async_wait([this, until](error_code) { await_clients(until); });
}

}  // namespace sluice
