#include "service/daemon/stop_drain.h"

#include "base/text.h"

namespace sluice {
namespace {

constexpr Duration kEvery = StopDrain::kExtension / 3;

}  // namespace

StopDrain::Step StopDrain::poll(std::size_t jobs, TimePoint now) {
  if (jobs == 0 || now >= until_) return {true, std::nullopt};
  if (tell_at_ && now < *tell_at_ && jobs == told_jobs_) return {};
  tell_at_ = now + kEvery;
  told_jobs_ = jobs;
  return {false, "draining: " + std::to_string(jobs) +
                     (jobs == 1 ? " job of its own runs" : " jobs of its own run") +
                     ", ends within " + duration_text(until_ - now, Precision::seconds_up)};
}

}  // namespace sluice
