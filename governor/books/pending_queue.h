#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "governor/books/arrival_list.h"
#include "governor/books/contention.h"
#include "governor/books/order_number.h"
#include "governor/books/pending_job.h"
#include "governor/books/ranking.h"
#include "governor/books/strand.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// The pending jobs of all queues, indexed so that the first in order is found without visiting the
/// others: at most some dozen sums of lock values exist at a time, and within each the oldest job
/// is first. A total order: order numbers are unique.
class PendingQueue {
 public:
  /// `contention` must outlive this; call `names_flipped` after its `start` and `finish`.
  PendingQueue(Ranking ranking, const Contention& contention)
      : ranking_(ranking), contention_(&contention) {}

  /// Adds a job and returns its slot, which is its own until it is removed.
  std::uint32_t add(PendingJob job);
  PendingJob remove(std::uint32_t slot);

  /// Changes fields that the order depends on.
  template <typename Change>
  void update(std::uint32_t slot, Change change) {
    leave_strand(slot);
    change(jobs_[slot]);
    join_strand(slot);
  }

  /// Call this with the names that `Contention` reports as flipped.
  void names_flipped(std::span<const std::uint32_t> names);

  std::optional<std::uint32_t> find(JobId id) const;
  const PendingJob& operator[](std::uint32_t slot) const { return jobs_[slot]; }
  std::size_t size() const { return by_id_.size(); }
  bool empty() const { return by_id_.empty(); }
  std::size_t size_of(std::uint32_t queue) const { return jobs_of(queue).size; }
  Points cost() const { return cost_; }
  Points cost_of(std::uint32_t queue) const { return jobs_of(queue).cost; }
  /// Parked jobs of a queue, and their total cost.
  struct Parking {
    std::size_t jobs = 0;
    Points cost;
  };
  Parking parked_of(std::uint32_t queue) const { return jobs_of(queue).parked; }
  /// Changes a job's cost; its position stays.
  void reprice(std::uint32_t slot, Points cost);
  /// Arrival of the oldest job in a queue that is not empty. Visits every strand.
  TimePoint oldest_of(std::uint32_t queue) const;
  /// The number of jobs by needs, without jobs that need nothing (number 0). Visits every strand.
  std::map<std::uint32_t, std::size_t> count_by_needs() const;
  /// The jobs of one queue.
  const Tiers& tiers_of(std::uint32_t queue) const { return jobs_of(queue).tiers; }
  /// All jobs in order of arrival, over all queues.
  const ArrivalList& by_arrival() const { return by_arrival_; }

  const Ranking& ranking() const { return ranking_; }
  int spv(const Bucket& bucket) const;
  Rank rank(std::uint32_t slot, TimePoint now) const;
  /// 1 for the first of its queue.
  std::size_t place(std::uint32_t slot, TimePoint now) const;

  /// A new order number for the job: before all jobs of the queue, after them, or next to one of
  /// them. nullopt if no number is left there. `of` is read for `before` and `after` only. O(log)
  /// for each strand of jobs that were not moved, whatever number of jobs these have.
  std::optional<OrderNumber> number_at(std::uint32_t slot, std::uint32_t queue,
                                       JobChange::Position::Where where, std::uint32_t of) const;

 private:
  struct Queue {
    Tiers tiers;
    std::size_t size = 0;
    Points cost;
    Parking parked;
  };
  /// The pending side of a lock name.
  struct Name {
    std::vector<std::uint32_t> jobs;  ///< Slots of the jobs that name it, while it is cold.
    std::vector<Strand*> strands;     ///< Strands that have it in their key, while it is hot.
    std::size_t count = 0;            ///< Jobs that name it.
    bool hot = false;
  };

  bool weighs() const { return ranking_.mode != ContentionMode::off; }
  /// Those of a queue that never had any are none.
  const Queue& jobs_of(std::uint32_t queue) const;
  void join_strand(std::uint32_t slot);
  void give_back();
  void leave_strand(std::uint32_t slot);
  void move(std::uint32_t slot);
  void fill_key(const PendingJob& job, StrandKey& key) const;
  Strand& strand_for(const StrandKey& key);
  Hits hits_of(const StrandKey& key) const;
  void attach(Strand& strand);
  void detach(Strand& strand);
  void relist(Strand& strand);
  void drop(Strand& strand);
  void enlist(std::uint32_t slot);
  void delist(std::uint32_t slot);
  void heat(std::uint32_t name);
  void cool(std::uint32_t name);

  Ranking ranking_;
  const Contention* contention_;
  std::deque<PendingJob> jobs_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  ArrivalList by_arrival_;
  std::vector<Queue> queues_;
  std::unordered_map<StrandKey, std::unique_ptr<Strand>, StrandHash> strands_;
  std::vector<Name> names_;
  Points cost_;
  StrandKey scratch_;
};

}  // namespace sluice
