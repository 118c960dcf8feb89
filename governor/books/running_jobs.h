#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "governor/books/pending_queue.h"
#include "governor/books/permit_tree.h"
#include "governor/books/resources.h"
#include "governor/law/cpu_demand.h"
#include "governor/memory/reservation.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// A child's use of a manager that one of its ancestors has booked.
struct Loan {
  JobId lender;
  ResourceNeed need;
};

/// What is known of a running job besides its request.
struct RunningState {
  TimePoint admitted;
  std::uint64_t turn = 0;  ///< Order of admission; clocks of different resolution do not give it.
  std::vector<ResourceNeed> needs;
  std::vector<HeldItems> items;
  std::optional<MemoryUse> use;                 ///< As far as it was measured.
  Reservation::Charge charge;                   ///< The memory reserved for it.
  MemoryNeed need;                              ///< Its peak; zeros if unknown.
  std::shared_ptr<const MemoryProfile> growth;  ///< Of earlier runs of its key; null if unknown.
  double own_held = 0;  ///< Bytes, without its children's; only if these hold some.
  std::vector<Loan> loans;
  CpuDemand cpu;
  double expected_cores = 0;  ///< When admitted.
  Duration ramp{0};           ///< Time until it shows its demand.
  CpuProfile profile;         ///< Of earlier runs of its key; empty if unknown.
  /// Cores that it may need after its ramp, at an unknown time; 0 if its profile says when, if it
  /// sleeps, if it or its key declares a cost, or if it is not measured.
  double latent_cores = 0;
  Points admitted_cost;  ///< `job.cost` may follow its demand since.
  bool starting = false;
  bool in_reading = false;  ///< It ran at the last reading of the memory limits.
};

struct RunningJob : RunningState {
  PendingJob job;  ///< As it was when pending; its needs are those that were booked.
  bool in_use = false;
};

/// The running jobs by slot, and their permits. A slot that is free keeps the memory of its last
/// job, so that nothing is allocated below the highest number of jobs that have run at once. Not
/// thread-safe.
class RunningJobs {
 public:
  using Place = PermitTree::Place;

  RunningJobs() = default;
  /// Those of other running jobs. `jobs`: by slot. `permits`: by slot, the job on whose permit it
  /// works. `free_slots`: those without a job, the next one to be used last.
  RunningJobs(std::vector<RunningJob> jobs, const std::vector<std::optional<Place>>& permits,
              std::vector<std::uint32_t> free_slots);

  /// A slot for the next job, whose `job` the caller fills in before `enter`.
  std::uint32_t free_slot();
  void enter(std::uint32_t slot, TimePoint now);
  /// The job has reported its start.
  void started(std::uint32_t slot);
  /// Changes the points that the job holds.
  void reprice(std::uint32_t slot, Points cost);
  /// The job ends; its children become its parent's.
  void leave(std::uint32_t slot);

  const std::vector<std::uint32_t>& free_slots() const { return free_slots_; }
  std::size_t count() const { return count_; }
  std::size_t starting() const { return starting_; }
  const PermitTree& permits() const { return permits_; }

  /// Linear in slots.
  RunningJob* find(JobId id);
  const RunningJob* find(JobId id) const;
  std::optional<Place> place_of(JobId id) const;
  /// Where the job's parent runs; nullopt if it has none or that job is over.
  std::optional<Place> place_of_parent(const PendingJob& job) const {
    return job.parent == JobId{} ? std::nullopt : place_of(job.parent);
  }
  /// The parent and its ancestors, nearest first.
  std::vector<Place> line_of(const PendingJob& job) const;
  /// In order of admission.
  std::vector<const RunningJob*> in_order() const;
  /// Children before their parents.
  std::vector<std::uint32_t> children_first() const;
  bool is_lent(JobId lender, std::uint32_t manager) const;

  /// All slots; see `RunningJob::in_use`.
  std::size_t size() const { return jobs_.size(); }
  RunningJob& operator[](std::size_t slot) { return jobs_[slot]; }
  const RunningJob& operator[](std::size_t slot) const { return jobs_[slot]; }
  auto begin() { return jobs_.begin(); }
  auto end() { return jobs_.end(); }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }

 private:
  std::vector<RunningJob> jobs_;
  std::vector<std::uint32_t> free_slots_;
  PermitTree permits_;
  std::size_t count_ = 0;
  std::size_t starting_ = 0;
};

}  // namespace sluice
