#include "governor/books/pending_queue.h"

#include <algorithm>

#include "governor/books/moves.h"

namespace sluice {
namespace {

/// Above this many pending jobs a lock name is hot; below the second number it is cold again. A
/// flip of a cold name moves at most that many jobs; a hot name costs each of its jobs two moves in
/// its life.
constexpr std::size_t kHot = 1024;
constexpr std::size_t kCold = 256;

/// With fewer jobs the memory is not worth freeing.
constexpr std::size_t kTrimThreshold = 1024;

}  // namespace

std::uint32_t PendingQueue::add(PendingJob job) {
  std::uint32_t slot = static_cast<std::uint32_t>(jobs_.size());
  if (free_slots_.empty()) {
    jobs_.push_back(std::move(job));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    jobs_[slot] = std::move(job);
  }
  PendingJob& added = jobs_[slot];
  added.in_use = true;
  cost_ += added.cost;
  by_id_.emplace(added.id.value, slot);
  by_arrival_.insert({added.arrival, slot});
  join_strand(slot);
  return slot;
}

/// Frees the memory of a large queue once it is empty.
void PendingQueue::give_back() {
  std::deque<PendingJob>().swap(jobs_);
  std::vector<std::uint32_t>().swap(free_slots_);
  std::unordered_map<std::uint64_t, std::uint32_t>().swap(by_id_);
  by_arrival_ = ArrivalList();
}

PendingJob PendingQueue::remove(std::uint32_t slot) {
  leave_strand(slot);
  PendingJob job = std::move(jobs_[slot]);
  jobs_[slot] = PendingJob{};
  free_slots_.push_back(slot);
  by_arrival_.erase(job.arrival);
  by_id_.erase(job.id.value);
  cost_ -= job.cost;
  if (by_id_.empty() && jobs_.size() > kTrimThreshold) give_back();
  return job;
}

void PendingQueue::join_strand(std::uint32_t slot) {
  enlist(slot);
  PendingJob& job = jobs_[slot];
  fill_key(job, scratch_);
  Strand& strand = strand_for(scratch_);
  strand.jobs.insert({job.arrival, slot});
  job.strand = &strand;
  relist(strand);
  Queue& queue = queues_[job.queue];
  ++queue.size;
  queue.cost += job.cost;
  if (job.parked != Parked::no) {
    ++queue.parked.jobs;
    queue.parked.cost += job.cost;
  }
  ++queue.tiers[-std::int64_t{job.priority}].size;
}

void PendingQueue::leave_strand(std::uint32_t slot) {
  PendingJob& job = jobs_[slot];
  Queue& queue = queues_[job.queue];
  --queue.size;
  queue.cost -= job.cost;
  if (job.parked != Parked::no) {
    --queue.parked.jobs;
    queue.parked.cost -= job.cost;
  }
  const auto tier = queue.tiers.find(-std::int64_t{job.priority});
  const bool last_of_tier = --tier->second.size == 0;
  Strand& strand = *job.strand;
  strand.jobs.erase(job.arrival);
  job.strand = nullptr;
  if (strand.jobs.empty()) {
    drop(strand);
  } else {
    relist(strand);
  }
  if (last_of_tier) queue.tiers.erase(tier);
  delist(slot);
}

/// Moves the job to the strand of its current key.
void PendingQueue::move(std::uint32_t slot) {
  PendingJob& job = jobs_[slot];
  fill_key(job, scratch_);
  Strand& from = *job.strand;
  if (from.key == scratch_) return;
  Strand& to = strand_for(scratch_);
  from.jobs.erase(job.arrival);
  to.jobs.insert({job.arrival, slot});
  job.strand = &to;
  relist(to);
  if (from.jobs.empty()) {
    drop(from);
  } else {
    relist(from);
  }
}

void PendingQueue::fill_key(const PendingJob& job, StrandKey& key) const {
  key.queue = job.queue;
  key.priority = job.priority;
  key.shape = 0;
  key.needs = job.needs;
  key.limits = job.limits;
  key.parked = job.parked;
  const bool moved = job.order != OrderNumber{static_cast<std::int64_t>(job.arrival), 0};
  key.alone = moved ? job.arrival : 0;
  key.cold_hits = 0;
  key.hot.clear();
  if (!weighs()) return;
  key.shape = job.locks.shape;
  for (const NameUse use : job.locks.names) {
    if (names_[use.name()].hot) {
      key.hot.push_back(use.number());
    } else {
      key.cold_hits |= contention_->hits_of(use);
    }
  }
  std::sort(key.hot.begin(), key.hot.end());
}

Strand& PendingQueue::strand_for(const StrandKey& key) {
  const auto found = strands_.find(key);
  if (found != strands_.end()) return *found->second;
  Strand& strand = *strands_.emplace(key, std::make_unique<Strand>()).first->second;
  strand.key = key;
  for (const std::uint32_t use : key.hot) names_[use >> 1].strands.push_back(&strand);
  if (queues_.size() <= key.queue) queues_.resize(key.queue + 1);
  return strand;
}

Hits PendingQueue::hits_of(const StrandKey& key) const {
  Hits hits = key.cold_hits;
  for (const std::uint32_t use : key.hot) {
    hits |= contention_->hits_of((use & 1U) != 0 ? NameUse::exclusive(use >> 1)
                                                 : NameUse::shared(use >> 1));
  }
  return hits;
}

/// Puts a non-empty strand into the bucket of its hits.
void PendingQueue::attach(Strand& strand) {
  Tier& tier = queues_[strand.key.queue].tiers[-std::int64_t{strand.key.priority}];
  const Hits hits = hits_of(strand.key);
  Bucket& bucket = tier.buckets[{strand.key.shape, hits}];
  bucket.shape = strand.key.shape;
  bucket.hits = hits;
  strand.bucket = &bucket;
  strand.listed_as = strand.jobs.front().arrival;
  if (strand.key.alone != 0) {
    strand.order = jobs_[strand.jobs.front().slot].order;
    bucket.alone.emplace(strand.order, &strand);
  } else {
    bucket.strands.emplace(strand.listed_as, &strand);
  }
}

void PendingQueue::detach(Strand& strand) {
  Bucket& bucket = *strand.bucket;
  strand.bucket = nullptr;
  if (strand.key.alone != 0) {
    bucket.alone.erase({strand.order, &strand});
  } else {
    bucket.strands.erase({strand.listed_as, &strand});
  }
  if (!bucket.strands.empty() || !bucket.alone.empty()) return;
  Tier& tier = queues_[strand.key.queue].tiers[-std::int64_t{strand.key.priority}];
  tier.buckets.erase({bucket.shape, bucket.hits});
}

/// Call after the strand's jobs change, if some are left.
void PendingQueue::relist(Strand& strand) {
  if (strand.bucket && strand.jobs.front().arrival == strand.listed_as) return;
  if (!strand.bucket) return attach(strand);
  if (strand.key.alone != 0) return;
  Bucket& bucket = *strand.bucket;
  auto node = bucket.strands.extract({strand.listed_as, &strand});
  strand.listed_as = strand.jobs.front().arrival;
  node.value().first = strand.listed_as;
  bucket.strands.insert(std::move(node));
}

void PendingQueue::drop(Strand& strand) {
  detach(strand);
  for (const std::uint32_t use : strand.key.hot) std::erase(names_[use >> 1].strands, &strand);
  strands_.erase(strands_.find(strand.key));
}

/// Records under each of its names that the job uses it.
void PendingQueue::enlist(std::uint32_t slot) {
  if (!weighs()) return;
  std::vector<std::uint32_t> hottest;
  for (NameUse& use : jobs_[slot].locks.names) {
    if (names_.size() <= use.name()) names_.resize(use.name() + 1);
    Name& name = names_[use.name()];
    ++name.count;
    if (name.hot) continue;
    if (name.count > kHot) {
      hottest.push_back(use.name());
      continue;
    }
    use.at = static_cast<std::uint32_t>(name.jobs.size());
    name.jobs.push_back(slot);
  }
  for (const std::uint32_t name : hottest) heat(name);
}

void PendingQueue::delist(std::uint32_t slot) {
  if (!weighs()) return;
  std::vector<std::uint32_t> coldest;
  for (const NameUse use : jobs_[slot].locks.names) {
    Name& name = names_[use.name()];
    --name.count;
    if (name.hot) {
      if (name.count < kCold) coldest.push_back(use.name());
      continue;
    }
    const std::uint32_t last = name.jobs.back();
    name.jobs[use.at] = last;
    name.jobs.pop_back();
    for (NameUse& other : jobs_[last].locks.names) {
      if (other.number() >> 1 == use.name() && other.at == name.jobs.size()) other.at = use.at;
    }
  }
  for (const std::uint32_t name : coldest) cool(name);
}

void PendingQueue::heat(std::uint32_t number) {
  Name& name = names_[number];
  name.hot = true;
  const std::vector<std::uint32_t> jobs = std::move(name.jobs);
  name.jobs = {};
  for (const std::uint32_t slot : jobs) move(slot);
}

void PendingQueue::cool(std::uint32_t number) {
  names_[number].hot = false;
  std::vector<std::uint32_t> jobs;
  for (const Strand* strand : names_[number].strands) {
    for (auto at = strand->jobs.begin(); !strand->jobs.at_end(at); at = strand->jobs.next(at)) {
      jobs.push_back(strand->jobs.at(at).slot);
    }
  }
  // A job may lock a name in both modes.
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (const std::uint32_t slot : jobs) {
    for (NameUse& use : jobs_[slot].locks.names) {
      if (use.name() != number) continue;
      use.at = static_cast<std::uint32_t>(names_[number].jobs.size());
      names_[number].jobs.push_back(slot);
    }
    move(slot);
  }
}

void PendingQueue::names_flipped(std::span<const std::uint32_t> names) {
  for (const std::uint32_t number : names) {
    if (names_.size() <= number) continue;
    if (names_[number].hot) {
      for (Strand* strand : names_[number].strands) {
        if (hits_of(strand->key) == strand->bucket->hits) continue;
        detach(*strand);
        attach(*strand);
      }
    } else {
      // `move` never changes the list it iterates over: a job's names stay.
      for (const std::uint32_t slot : names_[number].jobs) move(slot);
    }
  }
}

std::optional<std::uint32_t> PendingQueue::find(JobId id) const {
  const auto found = by_id_.find(id.value);
  return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

const PendingQueue::Queue& PendingQueue::jobs_of(std::uint32_t queue) const {
  if (queue < queues_.size()) return queues_[queue];
  static const Queue kNone;
  return kNone;
}

void PendingQueue::reprice(std::uint32_t slot, Points cost) {
  PendingJob& job = jobs_[slot];
  const Points more = cost - job.cost;
  Queue& queue = queues_[job.queue];
  cost_ += more;
  queue.cost += more;
  if (job.parked != Parked::no) queue.parked.cost += more;
  job.cost = cost;
}

TimePoint PendingQueue::oldest_of(std::uint32_t queue) const {
  TimePoint oldest = TimePoint::max();
  for (const auto& [key, strand] : strands_) {
    if (key.queue != queue) continue;
    oldest = std::min(oldest, jobs_[strand->jobs.front().slot].arrived);
  }
  return oldest;
}

std::map<std::uint32_t, std::size_t> PendingQueue::count_by_needs() const {
  std::map<std::uint32_t, std::size_t> counts;
  for (const auto& [key, strand] : strands_) {
    if (key.needs != 0) counts[key.needs] += strand->jobs.size();
  }
  return counts;
}

int PendingQueue::spv(const Bucket& bucket) const {
  const std::uint64_t version = contention_->version();
  if (bucket.spv < 0 || bucket.spv_version != version) {
    bucket.spv = contention_->spv(bucket.shape, bucket.hits);
    bucket.spv_version = version;
  }
  return bucket.spv;
}

Rank PendingQueue::rank(std::uint32_t slot, TimePoint now) const {
  const PendingJob& job = jobs_[slot];
  const std::int64_t weight = ranking_.weight(spv(*job.strand->bucket), job.arrived, now);
  if (ranking_.boosts_priority && ranking_.is_saturated(job.arrived, now)) {
    return {0, 0, 0, job.order, job.arrival};
  }
  return {1, -std::int64_t{job.priority}, weight, job.order, job.arrival};
}

std::size_t PendingQueue::place(std::uint32_t slot, TimePoint now) const {
  const Rank own = rank(slot, now);
  const auto is_before = [&](const ArrivalList::Item& item) { return rank(item.slot, now) < own; };
  std::size_t before = 0;
  for (const auto& [minus_priority, tier] : queues_[jobs_[slot].queue].tiers) {
    for (const auto& [key, bucket] : tier.buckets) {
      for (const auto& [arrival, strand] : bucket.strands) {
        before += strand->jobs.count_before(strand->jobs.partition_point(is_before));
      }
      for (const auto& [order, strand] : bucket.alone) {
        before += is_before(strand->jobs.front()) ? 1 : 0;
      }
    }
  }
  return before + 1;
}

std::optional<OrderNumber> PendingQueue::number_at(std::uint32_t slot, std::uint32_t queue,
                                                   JobChange::Position::Where where,
                                                   std::uint32_t of) const {
  return number_of_move(tiers_of(queue), jobs_, {slot, where, jobs_[of].order});
}

}  // namespace sluice
