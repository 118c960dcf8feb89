#include "service/daemon/stop_drain.h"

#include <chrono>

namespace sluice {
namespace {

constexpr Duration kEvery = StopDrain::kExtension / 3;

/// Less than this is told in seconds.
constexpr Duration kMinutesFrom = std::chrono::minutes(2);

/// Rounded up, so the remaining time is never shown as 0.
std::string time_text(Duration left) {
  using std::chrono::ceil, std::chrono::minutes, std::chrono::seconds;
  if (left < kMinutesFrom) return std::to_string(ceil<seconds>(left).count()) + " s";
  return std::to_string(ceil<minutes>(left).count()) + " min";
}

}  // namespace

StopDrain::Step StopDrain::poll(std::size_t jobs, TimePoint now) {
  if (jobs == 0 || now >= until_) return {true, std::nullopt};
  if (tell_at_ && now < *tell_at_ && jobs == told_jobs_) return {};
  tell_at_ = now + kEvery;
  told_jobs_ = jobs;
  return {false, "draining: " + std::to_string(jobs) +
                     (jobs == 1 ? " job of its own runs" : " jobs of its own run") +
                     ", ends within " + time_text(until_ - now)};
}

}  // namespace sluice
