#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "governor/books/arrival_list.h"
#include "governor/books/contention.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// A job's position among those of equal weight: its arrival number, unless it was moved. `part`
/// leaves room between any two.
struct OrderNumber {
  std::int64_t whole = 0;
  std::uint64_t part = 0;

  auto operator<=>(const OrderNumber&) const = default;
};

/// Why a job cannot start until some other event releases it.
enum class Parked : std::uint8_t { no, frozen, dependency, rule };

struct Strand;

/// A pending job. Compact: there may be a million.
struct PendingJob {
  JobId id;
  JobId parent;  ///< See `JobRequest::parent`; 0 if it has none.
  TimePoint arrived;
  std::uint64_t arrival = 0;  ///< Numbers the jobs in order of arrival; never changes.
  OrderNumber order;
  Points cost;
  std::string name;  ///< The caller's.
  std::string key;
  LockProfile locks;
  std::unique_ptr<JobRequest> rest;  ///< The fields that few jobs set.
  Strand* strand = nullptr;          ///< The queue's strand that holds it.
  std::int32_t priority = 0;
  std::int32_t inventory = 1;
  std::uint32_t queue = 0;
  std::uint32_t needs = 0;   ///< Interned resource needs.
  std::uint32_t limits = 0;  ///< Interned rate limits.
  std::uint32_t rule = 0;    ///< 1 + the rule that parks it.
  Parked parked = Parked::no;
  bool is_frozen = false;
  std::uint32_t program = 0;  ///< Interned, as are the variant and the user.
  std::uint32_t variant = 0;
  std::uint32_t user = 0;
  bool has_own_cost = false;
  bool measured = false;
  bool suspendable = false;
  bool has_locks = false;  ///< It declared locks, possibly none.
  bool reports_started = false;
  bool in_use = false;
};

/// How jobs are ranked: the settings common to all jobs.
struct Ranking {
  ContentionMode mode = ContentionMode::order;
  Duration tick = std::chrono::seconds(30);
  std::optional<int> aging_ticks = 30;
  bool boosts_priority = false;

  /// Whole ticks since arrival, at least 0.
  std::int64_t age(TimePoint arrived, TimePoint now) const;
  bool is_saturated(TimePoint arrived, TimePoint now) const;
  /// SPV x (K - age), at least 0: 10 x K times the weight. Without aging, SPV itself.
  std::int64_t weight(int spv, TimePoint arrived, TimePoint now) const;
};

/// A job's position in the order of its queue; lower goes first.
struct Rank {
  std::int64_t unsaturated = 1;  ///< 0 if a saturated age lifts the job above priorities.
  std::int64_t minus_priority = 0;
  std::int64_t weight = 0;
  OrderNumber order;
  std::uint64_t arrival = 0;  ///< Breaks ties between equal order numbers.

  auto operator<=>(const Rank&) const = default;
};

/// The common properties of one strand's jobs: everything that decides about them except their age.
/// This includes names that very many pending jobs lock ("hot" ones), so that strands move, not
/// jobs, when running jobs take or release such a name, and the hits of all other names.
struct StrandKey {
  std::uint32_t queue = 0;
  std::int32_t priority = 0;
  std::uint32_t shape = 0, needs = 0, limits = 0;
  Parked parked = Parked::no;
  std::uint64_t alone = 0;  ///< Arrival number of a moved job (alone in its strand); else 0.
  Hits cold_hits = 0;
  std::vector<std::uint32_t> hot;  ///< `NameUse::number`s, sorted.

  bool operator==(const StrandKey&) const = default;
};

/// Strands of one queue and priority with the same shape and hits have the same SPV.
struct Bucket {
  std::uint32_t shape = 0;
  Hits hits = 0;
  std::set<std::pair<std::uint64_t, Strand*>> strands;  ///< By their first arrival.
  std::vector<Strand*> alone;                           ///< Of moved jobs.
  mutable std::uint64_t spv_version = 0;
  mutable int spv = -1;
};

/// Jobs with the same key in order of arrival. They age alike, so none ever overtakes another.
struct Strand {
  StrandKey key;
  ArrivalList jobs;
  Bucket* bucket = nullptr;
  std::uint64_t listed_as = 0;  ///< Its arrival number in `Bucket::strands`.
};

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
  std::size_t size_of(std::uint32_t queue) const;
  Points cost() const { return cost_; }
  Points cost_of(std::uint32_t queue) const;
  /// Parked jobs of a queue, and their total cost.
  struct Parking {
    std::size_t jobs = 0;
    Points cost;
  };
  Parking parked_of(std::uint32_t queue) const;
  /// Changes a job's cost; its position stays.
  void reprice(std::uint32_t slot, Points cost);
  /// Arrival of the oldest job in a queue that is not empty. Visits every strand.
  TimePoint oldest_of(std::uint32_t queue) const;
  /// The number of jobs by needs, without jobs that need nothing (number 0). Visits every strand.
  std::map<std::uint32_t, std::size_t> count_by_needs() const;
  /// All jobs in order of arrival, over all queues.
  const ArrivalList& by_arrival() const { return by_arrival_; }

  const Ranking& ranking() const { return ranking_; }
  int spv(const Bucket& bucket) const;
  Rank rank(std::uint32_t slot, TimePoint now) const;
  /// 1 for the first of its queue.
  std::size_t place(std::uint32_t slot, TimePoint now) const;

  /// A new order number for the job: before all jobs of the queue, after them, or next to one of
  /// them. nullopt if no number is left there. `of` is read for `before` and `after` only.
  std::optional<OrderNumber> number_at(std::uint32_t slot, std::uint32_t queue,
                                       JobChange::Position::Where where, std::uint32_t of) const;

  class Walk;

 private:
  friend class Walk;

  struct StrandHash {
    std::size_t operator()(const StrandKey& key) const;
  };
  /// One priority of one queue.
  struct Tier {
    std::map<std::pair<std::uint32_t, Hits>, Bucket> buckets;
    std::size_t size = 0;
  };
  struct Queue {
    std::map<std::int64_t, Tier> tiers;  ///< By minus the priority; none is empty.
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

/// Iterates over the jobs of one queue in their order at one instant. Changes nothing; any change
/// of the queue or of running jobs invalidates it. Skips strands for which `wanted(strand)` is
/// false. O(buckets) to start, then O(log) per job.
class PendingQueue::Walk {
 public:
  using Wanted = bool (*)(const void* context, const Strand&);
  static bool any_strand(const void*, const Strand&) { return true; }

  Walk(const PendingQueue& queue, std::uint32_t number, TimePoint now,
       const void* context = nullptr, Wanted wanted = any_strand);

  /// The next job; nullopt at the end.
  std::optional<std::uint32_t> next();
  /// The rank and bucket of the job that `next` returned last.
  const Rank& rank() const { return last_.rank; }
  const Bucket& bucket() const { return *last_.strand->bucket; }

 private:
  using Strands = std::set<std::pair<std::uint64_t, Strand*>>;
  struct Entry {
    Rank rank;
    const Strand* strand = nullptr;
    ArrivalList::Cursor cursor;
    Strands::const_iterator following;  ///< The next strand to consider after this one.
    bool leads = false;                 ///< First of its strand: `following` must be pushed.
  };
  struct Later {
    bool operator()(const Entry& one, const Entry& other) const { return one.rank > other.rank; }
  };

  void push_tier(const Tier& tier);
  void push_strand(const Bucket& bucket, Strands::const_iterator from);
  void push(Entry entry);

  const PendingQueue& queue_;
  std::map<std::int64_t, Tier>::const_iterator tier_, last_tier_;
  TimePoint now_;
  const void* context_;
  Wanted wanted_;
  std::vector<Entry> heap_;
  Entry last_;
};

}  // namespace sluice
