#include "recognition/stall_check.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "recognition/process_facts.h"

namespace sluice {
namespace {

/// The kernel blocks all locking while it lists the locks.
constexpr Duration kLocksInterval = std::chrono::seconds(1);

/// Locks for which processes wait that may have a permit. A tool that only waits for others has
/// none, as cargo for the lock of a folder that another cargo uses: it may well wait. One that the
/// kernel does not name may have one.
std::set<std::string> locks_for_which_jobs_wait(const ListedPrograms& programs) {
  std::set<std::string> locks;
  for (const LockWait& each : read_lock_waits()) {
    const bool may_have_permit =
        each.process == 0 ||
        program_kind(read_command(each.process), programs).what != ProgramClass::transparent;
    if (may_have_permit) locks.insert(each.lock);
  }
  return locks;
}

/// The eldest, but first those that may go: one that is paused would keep back all the others.
const HeldProcess& first_of(const std::vector<HeldProcess>& held) {
  const auto found = std::ranges::find_if(
      held, [](const HeldProcess& each) { return each.waits_for != WaitsFor::resume; });
  return found == held.end() ? held.front() : *found;
}

pid_t holder_of(const std::set<std::string>& locks, const std::vector<HeldProcess>& held) {
  if (locks.empty()) return 0;
  for (const HeldProcess& each : held) {
    const auto has = read_locks_of(each.process);
    if (std::ranges::any_of(has, [&](const auto& lock) { return locks.contains(lock); })) {
      return each.process;
    }
  }
  return 0;
}

}  // namespace

const HeldProcess* StallCheck::blocker(const std::vector<HeldProcess>& held,
                                       const ListedPrograms& programs, TimePoint now) {
  if (!held.empty() && now >= read_locks_at_) {
    read_locks_at_ = now + kLocksInterval;
    blocker_ = holder_of(locks_for_which_jobs_wait(programs), held);
  }
  const auto found = std::ranges::find(held, blocker_, &HeldProcess::process);
  return found == held.end() ? nullptr : &*found;
}

std::optional<StallCheck::LetGo> StallCheck::observe(const std::vector<HolderUse>& holders,
                                                     const std::vector<HeldProcess>& held,
                                                     const ListedPrograms& programs,
                                                     TimePoint now) {
  using Others = Liveness::Others;
  const HeldProcess* const blocking = blocker(held, programs, now);
  const Others said = std::exchange(others_, Others::run);
  const Others others = blocking ? Others::blocked : said;
  std::optional<HeldProcess> first;
  if (!held.empty()) first = blocking ? *blocking : first_of(held);
  const bool is_red = others == Others::idle && idle_job_waits_for_ == WaitsFor::sensor;
  if (is_red && first && first->waits_for == WaitsFor::window) first->waits_for = WaitsFor::sensor;
  const Bytes memory{first ? read_memory_in_use().value_or(0) : 0};
  if (!liveness_.observe(holders, first, memory, others, now)) return std::nullopt;
  if (blocking) return LetGo{first->process, "another process waits for a lock that it holds"};
  const bool starves = holders.empty() && others == Others::run;
  return LetGo{first->process, starves ? "the build has had none for 30 s"
                                       : "no other process of the build made progress"};
}

}  // namespace sluice
