#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "governor/books/lock_profile.h"
#include "governor/books/order_number.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

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
  bool takes_turns = false;
  bool has_locks = false;  ///< It declared locks, possibly none.
  bool reports_started = false;
  bool in_use = false;
};

}  // namespace sluice
