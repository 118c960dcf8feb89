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

#include "governor/arrival_list.h"
#include "governor/contention.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// A job's place among those of equal weight: its arrival number, unless it was moved. The part
/// leaves room between any two.
struct OrderNumber {
  std::int64_t whole = 0;
  std::uint64_t part = 0;

  auto operator<=>(const OrderNumber&) const = default;
};

/// What keeps a job from starting until somebody else says otherwise.
enum class Parked : std::uint8_t { no, frozen, dependency, rule };

struct Strand;

/// A job that waits, in little room: a million of them may.
struct PendingJob {
  JobId id;
  JobId parent;  ///< See `JobRequest::parent`; 0: none.
  TimePoint arrived;
  std::uint64_t arrival = 0;  ///< Numbers the jobs in order of arrival; stays the job's.
  OrderNumber order;
  Points cost;
  std::string name;  ///< The caller's.
  std::string key;
  LockProfile locks;
  std::unique_ptr<JobRequest> rest;  ///< What few jobs say of themselves.
  Strand* strand = nullptr;          ///< Of the queue.
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
  bool has_locks = false;  ///< It declared some, be it none.
  bool reports_started = false;
  bool in_use = false;
};

/// How jobs are ranked: the settings that do not change from job to job.
struct Ranking {
  ContentionMode mode = ContentionMode::order;
  Duration tick = std::chrono::seconds(30);
  std::optional<int> aging_ticks = 30;
  bool boosts_priority = false;

  /// Whole ticks since arrival, at least 0.
  std::int64_t age(TimePoint arrived, TimePoint now) const;
  bool is_saturated(TimePoint arrived, TimePoint now) const;
  /// SPV x (K - age), never below 0: 10 x K times the weight. Without aging SPV itself.
  std::int64_t weight(int spv, TimePoint arrived, TimePoint now) const;
};

/// A job's place in the order of its queue; lower is first.
struct Rank {
  std::int64_t unsaturated = 1;  ///< 0 where a saturated age lifts the job over priorities.
  std::int64_t minus_priority = 0;
  std::int64_t weight = 0;
  OrderNumber order;
  std::uint64_t arrival = 0;  ///< Decides between numbers that were moved to the same place.

  auto operator<=>(const Rank&) const = default;
};

/// What jobs of one strand have in common: all that decides about them but their age. Names that
/// very many pending jobs lock ("hot") are part of it, so that such a name moves strands when
/// running jobs take or leave it, not jobs; hits of all other names are part of it as well.
struct StrandKey {
  std::uint32_t queue = 0;
  std::int32_t priority = 0;
  std::uint32_t shape = 0, needs = 0, limits = 0;
  Parked parked = Parked::no;
  std::uint64_t alone = 0;  ///< The arrival number of a job that was moved: it is alone.
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

/// Jobs with the same key in order of arrival. They age alike, so that none ever overtakes another.
struct Strand {
  StrandKey key;
  ArrivalList jobs;
  Bucket* bucket = nullptr;
  std::uint64_t listed_as = 0;  ///< Its arrival in `Bucket::strands`.
};

/// The jobs that wait, of all queues, indexed so that the first in order is found without looking
/// at the others: at most some dozen sums of lock values exist at a time, and within each the
/// oldest job is first. A total order: order numbers are unique.
class PendingQueue {
 public:
  /// `contention` must outlive this; its `start` and `finish` are followed by `names_flipped`.
  PendingQueue(Ranking ranking, const Contention& contention)
      : ranking_(ranking), contention_(&contention) {}

  /// Adds a job; its number in here, which is its own until it leaves.
  std::uint32_t add(PendingJob job);
  PendingJob remove(std::uint32_t slot);

  /// Changes what the order depends on.
  template <typename Change>
  void update(std::uint32_t slot, Change change) {
    leave_strand(slot);
    change(jobs_[slot]);
    join_strand(slot);
  }

  /// To be called with what `Contention` says flipped.
  void names_flipped(std::span<const std::uint32_t> names);

  std::optional<std::uint32_t> find(JobId id) const;
  const PendingJob& operator[](std::uint32_t slot) const { return jobs_[slot]; }
  std::size_t size() const { return by_id_.size(); }
  bool empty() const { return by_id_.empty(); }
  std::size_t size_of(std::uint32_t queue) const;
  Points cost() const { return cost_; }
  Points cost_of(std::uint32_t queue) const;
  /// Jobs of a queue that are parked, and the points that they need.
  struct Parking {
    std::size_t jobs = 0;
    Points cost;
  };
  Parking parked_of(std::uint32_t queue) const;
  /// Another cost for a job; its place stays.
  void reprice(std::uint32_t slot, Points cost);
  /// When the oldest job of a queue that is not empty arrived. Looks at each strand.
  TimePoint oldest_of(std::uint32_t queue) const;
  /// How many jobs have which needs; only numbers above 0. Looks at each strand.
  std::map<std::uint32_t, std::size_t> count_by_needs() const;
  /// All jobs in order of arrival, over all queues.
  const ArrivalList& by_arrival() const { return by_arrival_; }

  const Ranking& ranking() const { return ranking_; }
  int spv(const Bucket& bucket) const;
  Rank rank(std::uint32_t slot, TimePoint now) const;
  /// 1 for the first of its queue.
  std::size_t place(std::uint32_t slot, TimePoint now) const;

  /// A new order number: in front of all jobs of the queue, behind them, or next to one of them.
  /// None: no number is left there.
  /// `of` is read for `before` and `after` only.
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
    std::vector<std::uint32_t> jobs;  ///< Slots of those that name it, while it is cold.
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

/// Goes through the jobs of one queue in their order at one instant, without changing anything:
/// it ends with the first change of the queue or of what runs. Whole strands are passed over where
/// `wanted(strand)` is false. O(buckets) to begin with, then O(log) a job.
class PendingQueue::Walk {
 public:
  using Wanted = bool (*)(const void* context, const Strand&);

  Walk(const PendingQueue& queue, std::uint32_t number, TimePoint now, const void* context,
       Wanted wanted);

  /// The next job, or none.
  std::optional<std::uint32_t> next();
  /// Of the job that `next` gave last.
  const Rank& rank() const { return last_.rank; }
  const Bucket& bucket() const { return *last_.strand->bucket; }

 private:
  using Strands = std::set<std::pair<std::uint64_t, Strand*>>;
  struct Entry {
    Rank rank;
    const Strand* strand = nullptr;
    ArrivalList::Cursor cursor;
    Strands::const_iterator following;  ///< The strand to look at once this one has been.
    bool leads = false;                 ///< First of its strand: `following` is to be pushed.
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
