#include "service/jobs/lost_connection.h"

#include <signal.h>

#include <chrono>

namespace sluice {
namespace {

/// The next poll, once a second, sees a kill, and the killed processes take a moment to die.
constexpr Duration kWhile = std::chrono::seconds(5);

constexpr Duration kAtThePeak = std::chrono::seconds(2);

bool near_the_peak(const GroupKill& kill, std::optional<TimePoint> last_use) {
  if (!kill.peak || !last_use) return false;
  const Duration apart = *last_use < *kill.peak ? *kill.peak - *last_use : *last_use - *kill.peak;
  return apart <= kAtThePeak;
}

}  // namespace

Outcome outcome_of_lost(const LostHolder& holder, std::optional<TimePoint> last_use,
                        Outcome otherwise) {
  if (!holder.kill || holder.now - holder.kill->seen > kWhile) return otherwise;
  if (holder.signal) return *holder.signal == SIGKILL ? Outcome::oom : Outcome::unknown;
  return near_the_peak(*holder.kill, last_use) ? Outcome::oom : Outcome::unknown;
}

}  // namespace sluice
