#include "recognition/liveness.h"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

using std::chrono::seconds;

constexpr Duration kStill = seconds(1);  ///< Also the least time between two that are let go.
constexpr Duration kNextStill = std::chrono::milliseconds(250);  ///< Before the next worker.
/// The least time between two workers: one that ends before the next look is never seen to move.
constexpr Duration kNextPause = std::chrono::milliseconds(500);
constexpr Duration kStallIsKnown = seconds(10);
constexpr Duration kStarves = seconds(30);
constexpr Duration kLongestGap = seconds(1);
constexpr Duration kMemoryStill = seconds(5);
constexpr Duration kFreeCounts = seconds(1);
constexpr Duration kSensorStill = seconds(5);  ///< Half of the first pause between two.
constexpr Duration kLongestSensorPause = seconds(60);
constexpr Duration kSensorIsKnown = seconds(60);
constexpr Bytes kLeastFree{std::uint64_t{64} << 20};  ///< A compiler needs more.
constexpr int kCoresInverse = 20;                     ///< 1 / 0.05 cores.

/// Not kept back for as long as memory grows, or an operator likes.
bool goes_in_the_end(const HeldProcess& held) {
  return held.waits_for == WaitsFor::window || held.waits_for == WaitsFor::sensor;
}

}  // namespace

bool Liveness::moves(const std::vector<HolderUse>& holders, Duration since_last) const {
  return std::ranges::any_of(holders, [&](const HolderUse& each) {
    const auto before = last_.find(each.process);
    if (before == last_.end() || each.is_in_disk_wait || each.is_suspended) return true;
    const HolderUse& last = before->second;
    return each.moved != last.moved || (each.cpu - last.cpu) * kCoresInverse >= since_last;
  });
}

void Liveness::report_free_memory(Bytes free, TimePoint now) {
  free_ = free;
  said_free_ = now;
}

bool Liveness::lacks_memory(const HeldProcess& held, TimePoint now) const {
  const bool is_full = said_free_ && now - *said_free_ <= kFreeCounts && free_ < kLeastFree;
  return held.waits_for == WaitsFor::memory || is_full;
}

/// A lock for which others wait is no guess: its process is not kept back.
bool Liveness::is_behind_sensor(const HeldProcess& eldest, Others others, TimePoint now) {
  if (eldest.waits_for != WaitsFor::sensor) return false;
  const bool begins = !behind_sensor_ || now - *behind_sensor_ >= kSensorIsKnown;
  if (begins) sensor_pause_ = kSensorStill;
  behind_sensor_ = now;
  return others != Others::blocked;
}

bool Liveness::is_stall_known(TimePoint now) const {
  return last_parent_ != 0 && now - let_go_ < kStallIsKnown;
}

bool Liveness::follows_last(const HeldProcess& eldest, TimePoint now) const {
  const bool is_told = said_free_ && now - *said_free_ <= kFreeCounts;
  return is_stall_known(now) && eldest.parent == last_parent_ && is_told &&
         !lacks_memory(eldest, now);
}

bool Liveness::nears_stall(TimePoint now) const {
  return now - moved_ >= kStill / 2 || is_stall_known(now);
}

bool Liveness::observe(const std::vector<HolderUse>& holders,
                       const std::optional<HeldProcess>& eldest, Bytes memory, Others others,
                       TimePoint now) {
  const bool is_first = !observed_;
  const Duration since_last = is_first ? Duration{1} : now - *observed_;
  // Nothing is known of the time between: the build may have been stopped with this process.
  const bool begins = is_first || since_last > kLongestGap;
  // A daemon that reports no running job also reports that nothing is paused any more.
  const bool is_paused = eldest && eldest->waits_for == WaitsFor::resume && others == Others::run;
  if (begins || is_paused || !holders.empty() || !eldest) had_permit_ = now;
  const bool starves = now - had_permit_ >= kStarves && eldest && goes_in_the_end(*eldest);
  const bool waits_for_others = holders.empty() && others == Others::run && !starves;
  if (begins || others != Others::blocked) unblocked_ = now;
  const bool is_in_the_way = now - unblocked_ >= kStarves;
  const bool moves_on = moves(holders, since_last) && !is_in_the_way;
  if (begins || is_paused || waits_for_others || moves_on) moved_ = now;
  if (begins) last_parent_ = 0;
  observed_ = now;
  last_.clear();
  for (const HolderUse& each : holders) last_[each.process] = each;
  // Noise of a few pages is no growth.
  constexpr std::uint64_t noise = 8 << 20;
  if (begins || memory.value > most_memory_.value + noise) {
    grown_ = now;
    most_memory_ = memory;
  }
  most_memory_ = std::min(most_memory_, memory);
  if (!eldest || is_paused) return false;
  const bool is_red = is_behind_sensor(*eldest, others, now);
  const bool is_next = !is_red && follows_last(*eldest, now);
  const Duration still = is_red ? kSensorStill : is_next ? kNextStill : kStill;
  const Duration pause = is_red ? sensor_pause_ : is_next ? kNextPause : kStill;
  // Also that one must have been there for as long.
  if (now - std::max(moved_, eldest->since) < still || now - let_go_ < pause) return false;
  // Memory of a host that others use never stands still: the window is not waited for without end.
  const bool is_long = goes_in_the_end(*eldest) && now - moved_ >= kStarves;
  const bool is_full = lacks_memory(*eldest, now);
  if (is_full && !is_long && now - grown_ < kMemoryStill) return false;
  let_go_ = now;
  if (is_red) sensor_pause_ = std::min(2 * sensor_pause_, kLongestSensorPause);
  // A lock, other builds or full memory do not say that its parent waits for it.
  const bool was_still = others != Others::blocked && !starves && !(is_full && is_long);
  last_parent_ = was_still ? eldest->parent : 0;
  had_permit_ = now;
  unblocked_ = now;
  return true;
}

}  // namespace sluice
