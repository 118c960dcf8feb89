#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "governor/books/arrival_list.h"
#include "governor/books/lock_profile.h"
#include "governor/books/order_number.h"
#include "governor/books/pending_job.h"

namespace sluice {

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

struct StrandHash {
  std::size_t operator()(const StrandKey& key) const;
};

/// The strands of moved jobs by their order numbers. While a job moves from one strand to another,
/// both may be in one bucket.
using MovedJobs = std::set<std::pair<OrderNumber, Strand*>>;

/// Strands of one queue and priority with the same shape and hits have the same SPV.
struct Bucket {
  std::uint32_t shape = 0;
  Hits hits = 0;
  std::set<std::pair<std::uint64_t, Strand*>> strands;  ///< By their first arrival.
  MovedJobs alone;                                      ///< Each in a strand of its own.
  mutable std::uint64_t spv_version = 0;
  mutable int spv = -1;
};

/// Jobs with the same key in order of arrival. They age alike, so none ever overtakes another.
struct Strand {
  StrandKey key;
  ArrivalList jobs;
  Bucket* bucket = nullptr;
  std::uint64_t listed_as = 0;  ///< Its arrival number in `Bucket::strands`.
  OrderNumber order;            ///< That of a moved job, in `Bucket::alone`.
};

/// The jobs of one priority of one queue.
struct Tier {
  std::map<std::pair<std::uint32_t, Hits>, Bucket> buckets;
  std::size_t size = 0;
};

/// By minus the priority; none is empty.
using Tiers = std::map<std::int64_t, Tier>;

}  // namespace sluice
