#include "service/daemon/stop_drain.h"

#include <chrono>

namespace sluice {
namespace {

constexpr Duration kEvery = StopDrain::kExtension / 3;

/// Rounded up, so the remaining time is never shown as 0.
std::string minutes_of(Duration left) {
  using std::chrono::minutes;
  return std::to_string(std::chrono::ceil<minutes>(left).count()) + " min";
}

}  // namespace

StopDrain::Step StopDrain::poll(std::size_t jobs, TimePoint now) {
  if (jobs == 0 || now >= until_) return {true, std::nullopt};
  if (tell_at_ && now < *tell_at_ && jobs == told_jobs_) return {};
  tell_at_ = now + kEvery;
  told_jobs_ = jobs;
  return {false, "draining: " + std::to_string(jobs) +
                     (jobs == 1 ? " job of its own runs" : " jobs of its own run") +
                     ", ends within " + minutes_of(until_ - now)};
}

}  // namespace sluice
