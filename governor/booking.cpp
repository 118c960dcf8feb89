#include "governor/booking.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/seconds.h"
#include "governor/cpu_admission.h"
#include "governor/memory_charge.h"
#include "governor/nesting.h"
#include "governor/request_conversion.h"
#include "governor/waiting.h"

namespace sluice {
namespace {

/// Times come from clocks of different resolution, so a span may be slightly negative.
double seconds_between(TimePoint from, TimePoint to) {
  return std::max(0.0, to_seconds(to - from));
}

template <std::size_t N>
void observe_value(Histogram<N>& histogram, const std::array<double, N>& bounds, double seconds) {
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++histogram.counts[static_cast<std::size_t>(bucket - bounds.begin())];
  histogram.sum += seconds;
}

/// Appends booked items to borrowed ones.
void add_items(std::vector<HeldItems>& held, std::vector<HeldItems> booked) {
  if (held.empty()) {
    held = std::move(booked);
    return;
  }
  for (HeldItems& more : booked) {
    const auto same = std::ranges::find(held, more.manager, &HeldItems::manager);
    if (same == held.end()) {
      held.push_back(std::move(more));
    } else {
      same->items.insert(same->items.end(), more.items.begin(), more.items.end());
    }
  }
}

}  // namespace

void claim_needs(CoreState& core, RunningJob& running) {
  if (!running.needs.empty()) running.needs.clear();
  if (!running.items.empty()) running.items.clear();
  if (!running.loans.empty()) running.loans.clear();
  PendingJob& job = running.job;
  if (job.needs == 0) return;
  running.needs = core.needs[job.needs].resources;
  core.needs.forget(job.needs);
  job.needs = 0;
}

Admitted enter(CoreState& core, std::uint32_t slot, TimePoint now) {
  core.running.enter(slot, now);
  RunningJob& running = core.running[slot];
  const PendingJob& job = running.job;
  core.limits.start(job.limits);
  if (core.reservation.is_in_force()) {
    core.running.permits().parent(slot) ? charge_all(core, now) : charge(core, running, now);
  }
  ++core.queues[job.queue].running;
  if (core.options.window.law == Law::knee) expect_demand(core, running, now);
  running.turn = ++core.counters.admitted;
  observe_value(core.counters.wait, kWaitBounds, seconds_between(job.arrived, now));
  Admitted admitted{job.id, job.cost, slot, {}};
  if (!running.items.empty()) admitted.items = running.items;
  return admitted;
}

Admitted book_and_enter(CoreState& core, std::uint32_t slot, TimePoint now) {
  RunningJob& running = core.running[slot];
  PendingJob& job = running.job;
  claim_needs(core, running);
  if (job.parent != JobId{}) borrow(core, slot);
  if (!running.needs.empty()) {
    add_items(running.items, core.resources.book(running.needs, job.key, job.id));
  }
  return enter(core, slot, now);
}

Admitted start(CoreState& core, PendingJob job, TimePoint now) {
  const std::uint32_t slot = core.running.free_slot();
  core.running[slot].job = std::move(job);
  return book_and_enter(core, slot, now);
}

Admitted start_now(CoreState& core, PendingJob candidate, TimePoint now) {
  core.last_id = std::max(core.last_id, candidate.id.value);
  add_running_locks(core, candidate.locks);
  return start(core, std::move(candidate), now);
}

void finish(CoreState& core, std::uint32_t slot, Outcome outcome, TimePoint now) {
  RunningJob& running = core.running[slot];
  PendingJob& job = running.job;
  --core.queues[job.queue].running;
  ++core.queues[job.queue].ended;
  if (!running.needs.empty()) core.resources.release(running.needs, job.key, job.id);
  core.reservation.remove(std::exchange(running.charge, {}));
  const bool nests = core.running.permits().nested() > 0 || !core.waiting_children.empty();
  if (nests) pass_on_children(core, slot);
  core.running.leave(slot);
  remove_running_locks(core, job.locks);
  core.limits.finish(job.limits);
  discard(core, job);
  ++core.counters.finished[static_cast<std::size_t>(outcome)];
  observe_value(core.counters.duration, kDurationBounds, seconds_between(running.admitted, now));
  resolve_dependents(core, job.id, outcome == Outcome::ok ? JobEnd::succeeded : JobEnd::failed);
  if (nests) charge_all(core, now);
}

}  // namespace sluice
