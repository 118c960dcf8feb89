#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"

namespace sluice {

/// A pass's decision about one job.
struct Decision {
  JobId job;
  std::optional<Refusal> refusal;  ///< nullopt if admitted.
  Points cost, usage, size;        ///< At that time; `usage` includes the cost of an admitted job.
  double weight = 0;               ///< The job's weight when it was considered.
  std::vector<HeldItems> items;    ///< Of an admitted job.
  std::vector<JobId> conflicts;    ///< Running jobs that an admitted job will certainly block on.
};

/// Starts every pending job that may start, in order: runs passes, each made of tours, until a
/// whole pass admits nothing. `decisions` also receives every job considered but not started,
/// whenever the code or binding of its refusal differs from the last one reported.
std::vector<Admitted> start_pending(CoreState& core, TimePoint now,
                                    std::vector<Decision>* decisions);

/// One admission pass. It only reads the core: it picks the next job to start and explains why the
/// others do not; `start_pending` starts it. Source: JQM's scheduling tours.
class Pass {
 public:
  /// Whether to also consider jobs that may not start whatever is free, in order to report them.
  enum class Scope { startable, all };
  /// `before`: the job for which the pass keeps what this one lacks although enough of it is left;
  /// none if too little is left, or if the refusal names that job.
  using OnRefusal = std::function<void(std::uint32_t slot, const Refusal& refusal, JobId before)>;

  Pass(const CoreState& core, TimePoint now, Scope scope, OnRefusal on_refusal);

  /// The next job to start; the pass will not consider it again. nullopt: the pass is over.
  std::optional<std::uint32_t> next();

  /// The cost of that job.
  Points cost() const { return cost_; }

  /// Considers no more jobs of a queue.
  void end_queue(std::uint32_t queue) { turns_[queue].done = true; }

  /// The first shortage of one job now, in the order window, memory, managers; nullopt if there is
  /// none.
  std::optional<Refusal> shortage_of(const PendingJob& job) const;

  /// All shortages of one job now, in the same order.
  std::vector<Refusal> all_shortages_of(const PendingJob& job) const;

  /// The job at which a queue's turn ended; nullopt if it did not end or none was considered.
  std::optional<JobId> blocker(std::uint32_t queue) const { return turns_[queue].blocker; }

 private:
  /// The state of one queue in the pass.
  struct Turn {
    bool done = false;
    int passed_over = 0;  ///< Jobs short of window or memory, which `backfill` limits.
    int backfill = 0;
    std::optional<JobId> blocker;
  };
  /// Whether something counts as full for the rest of the pass, and for which job.
  struct Capacity {
    bool full = false;
    JobId filled_by;                      ///< The first job whose turn ended for lack of it.
    JobId kept_for;                       ///< The same job if it is aged.
    std::string_view binding = "window";  ///< Of the refusal that filled it.
  };
  /// A manager that counts as full for the rest of the pass.
  struct FullManager {
    std::uint32_t manager;
    JobId filled_by;  ///< The job whose turn ended there.
  };
  struct Shortages {
    bool window = false, memory = false;
    std::vector<std::uint32_t> blocking;  ///< Managers that are short and block.
    std::optional<Refusal> first;         ///< In the order window, memory, blocking managers.
    std::optional<Refusal> skipping;      ///< For the first manager that is short and skips.
    JobId before;                         ///< Of `first`, see `OnRefusal`.
    std::vector<Refusal> all;             ///< In the same order; managers in order of need.
  };

  std::optional<std::uint32_t> visit(std::uint32_t queue);
  Shortages shortages_of(const PendingJob& job, const Prediction& expected) const;
  void check_memory(const PendingJob& job, const Prediction& expected, Shortages& shortages) const;
  void check_managers(const PendingJob& job, Shortages& shortages) const;
  void end_turn(Turn& turn, const PendingJob& job, const Shortages& shortages,
                const Prediction& expected);
  bool passes_window(const Prediction& expected) const;
  bool may_backfill(const Turn& turn, const PendingJob& job, const Shortages& shortages) const;
  bool was_considered(std::uint32_t slot) const;
  void mark_considered(std::uint32_t slot);

  const CoreState& core_;
  TimePoint now_;
  Scope scope_;
  OnRefusal on_refusal_;
  std::vector<std::uint32_t> order_;  ///< Queues, longest waiting first.
  std::vector<Turn> turns_;           ///< By queue.
  std::size_t at_ = 0;
  Points cost_;
  bool admitted_in_tour_ = false;
  Capacity window_, memory_;
  std::vector<FullManager> full_managers_;
  std::uint32_t stamp_;
};

}  // namespace sluice
