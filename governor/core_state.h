#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "governor/books/age_boundaries.h"
#include "governor/books/contention.h"
#include "governor/books/dependencies.h"
#include "governor/books/interned.h"
#include "governor/books/lock_reservations.h"
#include "governor/books/pending_queue.h"
#include "governor/books/queues.h"
#include "governor/books/rate_limits.h"
#include "governor/books/resources.h"
#include "governor/books/running_jobs.h"
#include "governor/core_events.h"
#include "governor/law/lasting_state.h"
#include "governor/law/window.h"
#include "governor/law/window_room.h"
#include "governor/memory/reservation.h"
#include "sluice/governor.h"
#include "sluice/options.h"
#include "sluice/status.h"

namespace sluice {

/// Needs of a pending job, and the key under which highlanders count it.
struct Needs {
  std::vector<ResourceNeed> resources;
  std::string key;

  auto operator<=>(const Needs&) const = default;
};

/// The last refusal reported for a pending job.
struct ReportedRefusal {
  RefusalCode code = RefusalCode::window;
  std::string_view binding;
  JobId ahead;

  bool operator==(const ReportedRefusal&) const = default;
};

/// What the core knows. Each part keeps its own rules; the rules of admission, which need several
/// of them, are functions of the whole, a file for each.
struct CoreState : LastingState {
  /// Not usable until `rebuild` (reload.h) has created the indexes of jobs.
  CoreState(GovernorOptions given, CostModel model, std::vector<KnownSensor> known, TimePoint now)
      : options(std::move(given)),
        cost_model(std::move(model)),
        sensors(std::move(known)),
        resources(options.queueing.resources) {
    window = open_window(options.window, now);
    reservation.configure(options.reservation);
    reservation.set_declared_total(options.queueing.declared_memory);
  }

  // Settings:
  GovernorOptions options;
  CostModel cost_model;
  InternedNames names;
  std::vector<std::string_view> rule_names, level_names;

  // Sensors (red_sensors.h):
  std::vector<KnownSensor> sensors;
  std::vector<JudgedSensor> judged;  ///< After the last sweep or switch.
  std::string_view red;              ///< The worst red sensor of these.
  // The same without sensors that show the work of other programs, for `WhenRed::use_half`:
  std::string_view red_when_idle, red_below_half;

  // Jobs as numbers (request_conversion.h):
  std::unique_ptr<Contention> contention;
  LockProfile plain_locks;  ///< Of a job that declares no locks.
  RateLimits limits;
  Interned<Needs> needs;
  Interned<std::string> programs, users, variants;

  // Pending jobs (waiting.h):
  Queues queues;
  std::unique_ptr<PendingQueue> pending;
  AgeBoundaries boundaries;
  Dependencies dependencies;
  std::optional<LockReservations> lock_reservations;  ///< Under `hold` only.
  std::unordered_set<std::uint32_t> reserving;        ///< Slots of jobs that reserve their locks.
  std::uint64_t saturated_up_to = 0;  ///< Largest arrival number known to be saturated.
  /// Pending jobs by highlander and key: more than one only after a change of queue.
  std::map<std::pair<std::uint32_t, std::string>, std::set<JobId>> highlanders;
  /// The pending children of each running job, in the order they start on its permit: by priority,
  /// then by number.
  std::map<JobId, std::set<std::pair<std::int64_t, JobId>>> waiting_children;
  std::vector<Ended> ended;
  std::unordered_map<std::uint64_t, ReportedRefusal> reported_refusals;
  std::vector<std::uint32_t> flipped;         ///< Lock names; kept to avoid the allocation.
  mutable std::vector<std::uint32_t> stamps;  ///< By slot: the last pass done with it.
  mutable std::uint32_t last_stamp = 0;
  mutable JobRequest asked;  ///< Of the last prediction; kept to avoid the allocation.

  // Running jobs (booking.h, memory_charge.h):
  Resources resources;
  RunningJobs running;
  Reservation reservation;

  /// `ahead`: the job that comes first, or that it waits for; 0 if there is none.
  Refusal refusal(RefusalCode code, std::string_view binding, Points cost, JobId ahead = {}) const {
    const Room room{.usage = running.permits().usage(), .size = window.size, .red = {}};
    Refusal refused = refused_in(room, code, binding, cost);
    refused.ahead = ahead;
    return refused;
  }
  /// Of what a manager lacks.
  Refusal shortage(RefusalCode code, const Resources::Standing& standing, Points cost) const {
    Refusal short_of = refusal(code, standing.manager, cost);
    short_of.needs = standing.needs;
    short_of.free = standing.free;
    short_of.total = standing.total;
    return short_of;
  }
};

}  // namespace sluice
