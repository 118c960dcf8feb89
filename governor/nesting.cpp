#include "governor/nesting.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "governor/booking.h"
#include "governor/eligibility.h"
#include "governor/job_cost.h"
#include "governor/memory_admission.h"
#include "governor/waiting.h"

namespace sluice {
namespace {

using Place = RunningJobs::Place;

}  // namespace

std::optional<Points> room_on_permit(const CoreState& core, const PendingJob& job,
                                     const Prediction& expected) {
  const auto parent = core.running.place_of_parent(job);
  if (!parent) return std::nullopt;
  const Points room = core.running.permits().room(*parent);
  // The parent waits only for this child: without it, it would wait forever.
  if (!core.running.permits().has_children(*parent)) return std::min(expected.cost, room);
  if (expected.cost > room) return std::nullopt;
  const auto memory = memory_standing(core, job, expected);
  return !memory || memory->fits() ? std::optional(expected.cost) : std::nullopt;
}

/// The nearest ancestor that holds a manager lends everything it has of it, to one job at a time.
std::vector<ResourceNeed> needs_beyond_parents(const CoreState& core, const PendingJob& job,
                                               std::vector<ResourceNeed> needs,
                                               std::vector<Loan>* loans) {
  const std::vector<Place> line = needs.empty() ? std::vector<Place>{} : core.running.line_of(job);
  if (line.empty()) return needs;
  for (ResourceNeed& need : needs) {
    const bool counts_key = core.resources.is_highlander(need.manager);
    for (const Place place : line) {
      const RunningJob& parent = core.running[place];
      if (counts_key && parent.job.key != job.key) continue;
      std::int64_t held = 0;
      for (const ResourceNeed& each : parent.needs) {
        if (each.manager == need.manager) held += each.amount;
      }
      for (const Loan& loan : parent.loans) {
        if (loan.need.manager == need.manager) held += loan.need.amount;
      }
      if (held == 0) continue;
      if (core.running.is_lent(parent.job.id, need.manager)) break;
      const std::int64_t lent = std::min(held, need.amount);
      need.amount -= lent;
      if (loans) loans->push_back({parent.job.id, {need.manager, lent}});
      break;
    }
  }
  std::erase_if(needs, [](const ResourceNeed& need) { return need.amount == 0; });
  return needs;
}

bool is_short_of_managers(const CoreState& core, const PendingJob& job) {
  if (job.needs == 0) return false;
  const Needs& needs = core.needs[job.needs];
  const auto left = needs_beyond_parents(core, job, needs.resources);
  return std::ranges::any_of(left, [&](const ResourceNeed& need) {
    return core.resources.standing(need, needs.key).is_short;
  });
}

/// A job learns its borrowed items as if it had booked them.
void borrow(CoreState& core, std::uint32_t slot) {
  RunningJob& running = core.running[slot];
  if (running.needs.empty() || running.job.parent == JobId{}) return;
  std::vector<Loan> loans;
  running.needs = needs_beyond_parents(core, running.job, std::move(running.needs), &loans);
  for (const Loan& loan : loans) {
    const RunningJob* lender = core.running.find(loan.lender);
    const std::string manager(
        core.resources.standing({loan.need.manager, 0}, running.job.key).manager);
    for (const HeldItems& held : lender->items) {
      if (held.manager != manager) continue;
      const auto most = std::min(held.items.size(), static_cast<std::size_t>(loan.need.amount));
      HeldItems& lent = running.items.emplace_back(HeldItems{manager, {}});
      lent.items.assign(held.items.begin(), held.items.begin() + static_cast<std::ptrdiff_t>(most));
    }
  }
  running.loans = std::move(loans);
}

void start_children(CoreState& core, TimePoint now, std::vector<Admitted>& admitted) {
  if (core.waiting_children.empty()) return;
  std::vector<JobId> parents;
  for (const auto& [parent, children] : core.waiting_children) parents.push_back(parent);
  for (const JobId parent : parents) {
    const auto waiting = core.waiting_children.at(parent);
    for (const auto& [order, id] : waiting) {
      const std::uint32_t slot = *core.pending->find(id);
      const PendingJob& job = (*core.pending)[slot];
      if (ineligible(core, job) || is_short_of_managers(core, job)) continue;
      const auto points = room_on_permit(core, job, predict(core, job));
      if (!points) break;  // Later children must not take what this one waits for.
      PendingJob child = remove_pending(core, slot);
      child.cost = *points;
      admitted.push_back(start_now(core, std::move(child), now));
    }
  }
}

void enlist_child(CoreState& core, const PendingJob& job) {
  if (!core.running.place_of_parent(job)) return;
  core.waiting_children[job.parent].insert({-std::int64_t{job.priority}, job.id});
}

void delist_child(CoreState& core, const PendingJob& job) {
  const auto found = core.waiting_children.find(job.parent);
  if (found == core.waiting_children.end()) return;
  found->second.erase({-std::int64_t{job.priority}, job.id});
  if (found->second.empty()) core.waiting_children.erase(found);
}

void pass_on_children(CoreState& core, std::uint32_t slot) {
  const auto waiting = core.waiting_children.extract(core.running[slot].job.id);
  if (waiting.empty()) return;
  const auto parent = core.running.permits().parent(slot);
  const JobId heir = parent ? core.running[*parent].job.id : JobId{};
  for (const auto& [order, id] : waiting.mapped()) {
    core.pending->update(*core.pending->find(id), [&](PendingJob& job) { job.parent = heir; });
  }
  if (parent) core.waiting_children[heir].insert(waiting.mapped().begin(), waiting.mapped().end());
}

}  // namespace sluice
