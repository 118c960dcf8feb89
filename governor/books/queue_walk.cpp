#include "governor/books/queue_walk.h"

#include <algorithm>
#include <iterator>

namespace sluice {

QueueWalk::QueueWalk(const PendingQueue& queue, std::uint32_t number, TimePoint now,
                     const void* context, Wanted wanted)
    : queue_(queue), now_(now), context_(context), wanted_(wanted) {
  const Tiers& tiers = queue.tiers_of(number);
  tier_ = tiers.begin();
  last_tier_ = tiers.end();
  // A saturated job of a low priority may come first.
  if (!queue.ranking().boosts_priority) return;
  for (; tier_ != last_tier_; ++tier_) push_tier(tier_->second);
}

std::optional<std::uint32_t> QueueWalk::next() {
  while (heap_.empty()) {
    if (tier_ == last_tier_) return std::nullopt;
    push_tier(tier_->second);
    ++tier_;
  }
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  last_ = heap_.back();
  heap_.pop_back();
  const Strand& strand = *last_.strand;
  if (last_.leads) push_strand(*strand.bucket, last_.following);
  Entry entry = last_;
  entry.leads = false;
  entry.cursor = strand.jobs.next(last_.cursor);
  if (!strand.jobs.at_end(entry.cursor)) push(entry);
  return strand.jobs.at(last_.cursor).slot;
}

void QueueWalk::push_tier(const Tier& tier) {
  for (const auto& [key, bucket] : tier.buckets) {
    push_strand(bucket, bucket.strands.begin());
    for (const auto& [order, strand] : bucket.alone) {
      if (!wanted_(context_, *strand)) continue;
      push({{}, strand, strand->jobs.begin(), bucket.strands.end(), false});
    }
  }
}

void QueueWalk::push_strand(const Bucket& bucket, Strands::const_iterator from) {
  while (from != bucket.strands.end() && !wanted_(context_, *from->second)) ++from;
  if (from == bucket.strands.end()) return;
  const Strand& strand = *from->second;
  push({{}, &strand, strand.jobs.begin(), std::next(from), true});
}

void QueueWalk::push(Entry entry) {
  entry.rank = queue_.rank(entry.strand->jobs.at(entry.cursor).slot, now_);
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

}  // namespace sluice
