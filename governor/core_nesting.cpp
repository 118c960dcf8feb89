// Jobs that work on the permit of the job that started them and waits for them.
#include <algorithm>
#include <utility>

#include "governor/core.h"

namespace sluice {
namespace {

double bytes(const std::optional<MemoryUse>& use) {
  return use ? static_cast<double>(use->held.value) : 0;
}

}  // namespace

std::optional<Core::Place> Core::place_of(JobId running) const {
  if (running == JobId{}) return std::nullopt;
  const RunningJob* found = find_running(running);
  if (!found) return std::nullopt;
  return static_cast<Place>(found - running_.data());
}

std::optional<Core::Place> Core::place_of_parent(const PendingJob& job) const {
  return place_of(job.parent);
}

std::vector<Core::Place> Core::line_of(const PendingJob& job) const {
  std::vector<Place> line;
  for (auto at = place_of_parent(job); at; at = permits_.parent(*at)) line.push_back(*at);
  return line;
}

std::optional<Points> Core::room_on_permit(const PendingJob& job,
                                           const Prediction& expected) const {
  const auto parent = place_of_parent(job);
  if (!parent) return std::nullopt;
  const Points room = permits_.room(*parent);
  // The parent waits only for this child: without it, it would wait forever.
  if (!permits_.has_children(*parent)) return std::min(expected.cost, room);
  if (expected.cost > room) return std::nullopt;
  const auto memory = memory_standing(job, expected);
  return !memory || memory->fits() ? std::optional(expected.cost) : std::nullopt;
}

MemoryNeed Core::need_beyond_permit(const PendingJob& job, const MemoryNeed& need) const {
  const auto parent = place_of_parent(job);
  if (!parent) return need;
  const RunningJob& lender = running_[*parent];
  const double own = permits_.has_children(*parent) ? lender.own_held : bytes(lender.use);
  const double lent = std::clamp(lender.charge.mean - own, 0.0, need.mean);
  return {need.mean - lent, need.deviation};
}

std::optional<Reservation::Standing> Core::memory_standing(const PendingJob& job,
                                                           const Prediction& expected) const {
  if (!expected.memory) return std::nullopt;
  const MemoryNeed need = need_beyond_permit(job, *expected.memory);
  if (need == MemoryNeed{}) return std::nullopt;
  const bool brakes = options_.reservation.brake != ReservationOptions::Brake::off;
  const bool on_probation = brakes && job.suspendable && !vouches(expected.rung);
  return on_probation ? reservation_.standing_on_probation(need) : reservation_.standing(need);
}

bool Core::is_lent(JobId lender, std::uint32_t manager) const {
  return std::ranges::any_of(running_, [&](const RunningJob& job) {
    return job.in_use && std::ranges::any_of(job.loans, [&](const Loan& loan) {
             return loan.lender == lender && loan.need.manager == manager;
           });
  });
}

/// The nearest ancestor that holds a manager lends everything it has of it, to one job at a time.
std::vector<ResourceNeed> Core::needs_beyond_parents(const PendingJob& job,
                                                     std::vector<ResourceNeed> needs,
                                                     std::vector<Loan>* loans) const {
  const std::vector<Place> line = needs.empty() ? std::vector<Place>{} : line_of(job);
  if (line.empty()) return needs;
  for (ResourceNeed& need : needs) {
    const bool counts_key = resources_.is_highlander(need.manager);
    for (const Place place : line) {
      const RunningJob& parent = running_[place];
      if (counts_key && parent.job.key != job.key) continue;
      std::int64_t held = 0;
      for (const ResourceNeed& each : parent.needs) {
        if (each.manager == need.manager) held += each.amount;
      }
      for (const Loan& loan : parent.loans) {
        if (loan.need.manager == need.manager) held += loan.need.amount;
      }
      if (held == 0) continue;
      if (is_lent(parent.job.id, need.manager)) break;
      const std::int64_t lent = std::min(held, need.amount);
      need.amount -= lent;
      if (loans) loans->push_back({parent.job.id, {need.manager, lent}});
      break;
    }
  }
  std::erase_if(needs, [](const ResourceNeed& need) { return need.amount == 0; });
  return needs;
}

bool Core::is_short_of_managers(const PendingJob& job) const {
  if (job.needs == 0) return false;
  const Needs& needs = needs_[job.needs];
  const auto left = needs_beyond_parents(job, needs.resources);
  return std::ranges::any_of(left, [&](const ResourceNeed& need) {
    return resources_.standing(need, needs.key).is_short;
  });
}

/// A job learns its borrowed items as if it had booked them.
void Core::borrow(std::uint32_t slot) {
  RunningJob& running = running_[slot];
  if (running.needs.empty() || running.job.parent == JobId{}) return;
  std::vector<Loan> loans;
  running.needs = needs_beyond_parents(running.job, std::move(running.needs), &loans);
  for (const Loan& loan : loans) {
    const RunningJob* lender = find_running(loan.lender);
    const std::string manager(resources_.standing({loan.need.manager, 0}, running.job.key).manager);
    for (const HeldItems& held : lender->items) {
      if (held.manager != manager) continue;
      const auto most = std::min(held.items.size(), static_cast<std::size_t>(loan.need.amount));
      HeldItems& lent = running.items.emplace_back(HeldItems{manager, {}});
      lent.items.assign(held.items.begin(), held.items.begin() + static_cast<std::ptrdiff_t>(most));
    }
  }
  running.loans = std::move(loans);
}

void Core::start_children(TimePoint now, std::vector<Admitted>& admitted) {
  if (waiting_children_.empty()) return;
  std::vector<JobId> parents;
  for (const auto& [parent, children] : waiting_children_) parents.push_back(parent);
  for (const JobId parent : parents) {
    const auto waiting = waiting_children_.at(parent);
    for (const auto& [order, id] : waiting) {
      const std::uint32_t slot = *pending_->find(id);
      const PendingJob& job = (*pending_)[slot];
      if (ineligible(job) || is_short_of_managers(job)) continue;
      const auto points = room_on_permit(job, predict(job));
      if (!points) break;  // Later children must not take what this one waits for.
      PendingJob child = take(slot);
      child.cost = *points;
      admitted.push_back(start_now(std::move(child), now));
    }
  }
}

void Core::enlist_child(const PendingJob& job) {
  if (!place_of_parent(job)) return;
  waiting_children_[job.parent].insert({-std::int64_t{job.priority}, job.id});
}

void Core::delist_child(const PendingJob& job) {
  const auto found = waiting_children_.find(job.parent);
  if (found == waiting_children_.end()) return;
  found->second.erase({-std::int64_t{job.priority}, job.id});
  if (found->second.empty()) waiting_children_.erase(found);
}

void Core::leave_tree(std::uint32_t slot) {
  const JobId ended = running_[slot].job.id;
  const auto parent = permits_.parent(slot);
  const JobId heir = parent ? running_[*parent].job.id : JobId{};
  if (permits_.has_children(slot)) {
    for (RunningJob& job : running_) {
      if (job.in_use && job.job.parent == ended) job.job.parent = heir;
    }
  }
  const auto waiting = waiting_children_.extract(ended);
  if (waiting.empty()) return;
  for (const auto& [order, id] : waiting.mapped()) {
    pending_->update(*pending_->find(id), [&](PendingJob& job) { job.parent = heir; });
  }
  if (parent) waiting_children_[heir].insert(waiting.mapped().begin(), waiting.mapped().end());
}

std::optional<Refusal> Core::kept_from_window(const PendingJob& job) const {
  if (!place_of_parent(job) || !queues_[job.queue].paused) return std::nullopt;
  return refusal(RefusalCode::queue_paused, queues_[job.queue].name, job.cost);
}

std::optional<Refusal> Core::held_by_strangers(const PendingJob& job) const {
  const auto level =
      contention_->certain_conflict(job.locks.shape, contention_->hits_of(job.locks));
  if (!level) return std::nullopt;
  const std::vector<Place> parents = line_of(job);
  for (Place place = 0; place < running_.size(); ++place) {
    const RunningJob& other = running_[place];
    const bool counts = other.in_use && std::ranges::count(parents, place) == 0;
    if (!counts || !contention_->certainly_blocks(job.locks, other.job.locks)) continue;
    const bool global = *level == contention_->levels().size();
    return refusal(RefusalCode::contention, global ? kGlobalLock : level_names_[*level], job.cost);
  }
  return std::nullopt;
}

std::vector<std::uint32_t> Core::children_first() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < running_.size(); ++slot) {
    if (running_[slot].in_use) slots.push_back(slot);
  }
  // Parents are admitted before their children.
  std::ranges::sort(slots, std::ranges::greater{},
                    [&](std::uint32_t slot) { return running_[slot].turn; });
  return slots;
}

}  // namespace sluice
