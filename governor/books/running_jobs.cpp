#include "governor/books/running_jobs.h"

#include <algorithm>
#include <utility>

namespace sluice {

RunningJobs::RunningJobs(std::vector<RunningJob> jobs,
                         const std::vector<std::optional<Place>>& permits,
                         std::vector<std::uint32_t> free_slots)
    : jobs_(std::move(jobs)), free_slots_(std::move(free_slots)) {
  free_slots_.reserve(jobs_.capacity());
  std::vector<std::uint32_t> slots = children_first();
  std::ranges::reverse(slots);
  for (const std::uint32_t slot : slots) {
    permits_.add(slot, permits[slot], jobs_[slot].job.cost);
    ++count_;
    if (jobs_[slot].starting) ++starting_;
  }
}

std::uint32_t RunningJobs::free_slot() {
  if (free_slots_.empty()) {
    jobs_.emplace_back();
    free_slots_.reserve(jobs_.capacity());
    return static_cast<std::uint32_t>(jobs_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void RunningJobs::enter(std::uint32_t slot, TimePoint now) {
  RunningJob& running = jobs_[slot];
  running.admitted = now;
  running.in_use = true;
  running.in_reading = false;
  running.starting = running.job.reports_started;
  running.use.reset();
  running.charge = {};
  running.need = {};
  running.growth.reset();
  static const CpuDemand kUnseen;  // Copied faster than a new one.
  running.cpu = kUnseen;
  running.expected_cores = 0;
  running.ramp = Duration{0};
  running.profile.count = 0;
  running.latent_cores = 0;
  running.admitted_cost = running.job.cost;
  const JobId parent = running.job.parent;
  permits_.add(slot, parent == JobId{} ? std::nullopt : place_of(parent), running.job.cost);
  ++count_;
  if (running.starting) ++starting_;
}

void RunningJobs::started(std::uint32_t slot) {
  if (std::exchange(jobs_[slot].starting, false)) --starting_;
}

void RunningJobs::reprice(std::uint32_t slot, Points cost) {
  if (jobs_[slot].job.cost == cost) return;
  jobs_[slot].job.cost = cost;
  permits_.set(slot, cost);
}

void RunningJobs::leave(std::uint32_t slot) {
  const JobId ended = jobs_[slot].job.id;
  const auto parent = permits_.parent(slot);
  const JobId heir = parent ? jobs_[*parent].job.id : JobId{};
  if (permits_.has_children(slot)) {
    for (RunningJob& job : jobs_) {
      if (job.in_use && job.job.parent == ended) job.job.parent = heir;
    }
  }
  permits_.remove(slot);
  started(slot);
  --count_;
  jobs_[slot].in_use = false;
  free_slots_.push_back(slot);
}

RunningJob* RunningJobs::find(JobId id) {
  return const_cast<RunningJob*>(std::as_const(*this).find(id));
}

const RunningJob* RunningJobs::find(JobId id) const {
  const auto found =
      std::ranges::find_if(jobs_, [&](const auto& job) { return job.in_use && job.job.id == id; });
  return found == jobs_.end() ? nullptr : &*found;
}

std::optional<RunningJobs::Place> RunningJobs::place_of(JobId id) const {
  if (id == JobId{}) return std::nullopt;
  const RunningJob* found = find(id);
  return found ? std::optional(static_cast<Place>(found - jobs_.data())) : std::nullopt;
}

std::vector<RunningJobs::Place> RunningJobs::line_of(const PendingJob& job) const {
  std::vector<Place> line;
  for (auto at = place_of_parent(job); at; at = permits_.parent(*at)) line.push_back(*at);
  return line;
}

std::vector<const RunningJob*> RunningJobs::in_order() const {
  std::vector<const RunningJob*> running;
  for (const RunningJob& job : jobs_) {
    if (job.in_use) running.push_back(&job);
  }
  std::ranges::sort(running, {}, &RunningJob::turn);
  return running;
}

std::vector<std::uint32_t> RunningJobs::children_first() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < jobs_.size(); ++slot) {
    if (jobs_[slot].in_use) slots.push_back(slot);
  }
  // Parents are admitted before their children.
  std::ranges::sort(slots, std::ranges::greater{},
                    [&](std::uint32_t slot) { return jobs_[slot].turn; });
  return slots;
}

bool RunningJobs::is_lent(JobId lender, std::uint32_t manager) const {
  return std::ranges::any_of(jobs_, [&](const RunningJob& job) {
    return job.in_use && std::ranges::any_of(job.loans, [&](const Loan& loan) {
             return loan.lender == lender && loan.need.manager == manager;
           });
  });
}

}  // namespace sluice
