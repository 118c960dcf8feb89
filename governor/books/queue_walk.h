#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "governor/books/pending_queue.h"

namespace sluice {

/// Iterates over the jobs of one queue in their order at one instant. Changes nothing; any change
/// of the queue or of running jobs invalidates it. Skips strands for which `wanted(strand)` is
/// false. O(buckets) to start, then O(log) per job.
class QueueWalk {
 public:
  using Wanted = bool (*)(const void* context, const Strand&);
  static bool any_strand(const void*, const Strand&) { return true; }

  QueueWalk(const PendingQueue& queue, std::uint32_t number, TimePoint now,
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
  Tiers::const_iterator tier_, last_tier_;
  TimePoint now_;
  const void* context_;
  Wanted wanted_;
  std::vector<Entry> heap_;
  Entry last_;
};

}  // namespace sluice
