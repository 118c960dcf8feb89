#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "governor/core.h"

namespace sluice {

/// One admission pass, as a reader of the core: it says which job is to start next and why the
/// others do not, and leaves the starting to the core. Source: JQM's scheduling tours.
class Core::Pass {
 public:
  /// Whether to look at jobs too that may not start at all, whatever is free: to tell of them.
  enum class Look { startable, all };
  using OnRefusal = std::function<void(std::uint32_t slot, const Refusal& refusal)>;

  Pass(const Core& core, TimePoint now, Look look, OnRefusal on_refusal);

  /// The next job that is to start; it is looked at no more. None: the pass is over.
  std::optional<std::uint32_t> next();

  /// What that job was found to cost.
  Points cost() const { return cost_; }

  /// Looks at no more jobs of a queue.
  void end_queue(std::uint32_t queue) { turns_[queue].done = true; }

  /// What one job is short of now, the first in the order window, memory, managers; none: nothing.
  std::optional<Refusal> shortage_of(const PendingJob& job) const;

  /// All that one job is short of now, in the same order.
  std::vector<Refusal> all_shortages_of(const PendingJob& job) const;

  /// The job at which a queue ended; none: it did not, or nothing of it was looked at.
  std::optional<JobId> blocker(std::uint32_t queue) const { return turns_[queue].blocker; }

 private:
  /// A queue's part in the pass.
  struct Turn {
    bool done = false;
    int passed_over = 0;  ///< For the window or memory: what `backfill` counts.
    int backfill = 0;
    std::optional<JobId> blocker;
  };
  /// What counts as full for the rest of the pass, and the aged job that it is kept for.
  struct Full {
    bool is = false;
    JobId kept_for;
  };
  struct Shortages {
    bool window = false, memory = false;
    std::vector<std::uint32_t> blocking;  ///< Managers that are short and block.
    std::optional<Refusal> first;         ///< In the order window, memory, blocking managers.
    std::optional<Refusal> skipping;      ///< Of the first manager that is short and skips.
    std::vector<Refusal> all;             ///< In the same order; of managers as they are needed.
  };

  void set_order();
  std::optional<std::uint32_t> visit(std::uint32_t queue);
  Shortages shortages_of(const PendingJob& job, const Prediction& expected) const;
  void check_memory(const PendingJob& job, const Prediction& expected, Shortages& shortages) const;
  void check_managers(const PendingJob& job, Shortages& shortages) const;
  void end_turn(Turn& turn, const PendingJob& job, const Shortages& shortages,
                const Prediction& expected);
  bool is_passed_over(std::uint32_t slot) const;
  void pass_over(std::uint32_t slot);

  const Core& core_;
  TimePoint now_;
  Look look_;
  OnRefusal on_refusal_;
  std::vector<std::uint32_t> order_;  ///< Queues, longest waiting first.
  std::vector<Turn> turns_;           ///< By queue.
  std::size_t at_ = 0;
  Points cost_;
  bool admitted_in_tour_ = false;
  Full window_, memory_;
  std::vector<std::uint32_t> full_;  ///< Managers.
  std::uint32_t stamp_;
};

}  // namespace sluice
