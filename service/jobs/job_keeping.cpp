#include "service/jobs/job_keeping.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "service/access/permission.h"
#include "service/jobs/lease_recovery.h"

namespace sluice {
namespace {

/// Interval at which a failing store is given everything again.
constexpr Duration kRetryStore = std::chrono::seconds(10);

/// At most this many gone jobs are reported one by one.
constexpr std::size_t kMostLines = 100;

/// Running jobs in order of admission, then pending jobs in order of arrival.
bool comes_before(const StoredJob& one, const StoredJob& other) {
  const JobSnapshot& a = one.job;
  const JobSnapshot& b = other.job;
  if (a.admitted.has_value() != b.admitted.has_value()) return a.admitted.has_value();
  if (a.admitted) return std::pair(*a.admitted, a.id) < std::pair(*b.admitted, b.id);
  return std::pair(a.order.arrival, a.id) < std::pair(b.order.arrival, b.id);
}

std::string line_of(const StoredJob& stored, LeaseEnd cause) {
  const JobSnapshot& job = stored.job;
  std::string line =
      "job " + (job.request.id.empty() ? std::to_string(job.id.value) : job.request.id);
  line += job.admitted ? " (running)" : " (pending)";
  if (cause == LeaseEnd::connection) return line + ": its connection is gone";
  if (cause == LeaseEnd::refused) return line + ": it can no longer wait";
  if (!stored.lease.process) return line + ": the machine has rebooted";
  return line + ": its process " + std::to_string(stored.lease.process->pid) + " is gone";
}

}  // namespace

JobKeeping::Restart JobKeeping::resume(std::unique_ptr<JobStore> store, PermitTokens& tokens,
                                       const End& end, TimePoint now) {
  StoredState state = store->load();
  store_ = std::move(store);
  if (!tokens.take_secret(state.permit_secret)) store_->store_secret(tokens.secret());
  std::sort(state.jobs.begin(), state.jobs.end(), comes_before);
  GovernorSnapshot snapshot{{}, state.last, state.failed};
  snapshot.jobs.reserve(state.jobs.size());
  for (StoredJob& each : state.jobs) {
    each.job.request.user = learned_as(each.owner, geteuid());
    snapshot.jobs.push_back(each.job);
  }
  std::vector<Restored> restored = governor_.restore(std::move(snapshot), callbacks_.hand_over);

  Restart restart;
  std::vector<std::pair<std::size_t, LeaseEnd>> gone;
  for (std::size_t at = 0; at < state.jobs.size(); ++at) {
    const StoredJob& job = state.jobs[at];
    if (const auto cause = take_back(job, std::move(restored[at]), state, now)) {
      gone.emplace_back(at, *cause);
    } else {
      ++(job.job.admitted ? restart.adopted : restart.restored);
    }
  }
  // Only now, so that the end of a job reaches those that come after it.
  for (const auto& [at, cause] : gone) {
    const StoredJob& job = state.jobs[at];
    const JobRecord& record = jobs_.at(job.job.id);
    if (++restart.released <= kMostLines) {
      std::string line = line_of(job, cause);
      if (record.refusal) line += ": " + to_sentence(*record.refusal);
      restart.lines.push_back(std::move(line));
    }
    // A process that is gone is taken to have ended by itself, unless the machine has rebooted.
    const bool by_itself = cause == LeaseEnd::process && state.boot == StoredState::Boot::same;
    const bool was_held = job.lease.hold == StoredLease::Hold::connection;
    end(job.job.id, cause, by_itself ? outcome_without_finish(was_held) : Outcome::cancelled);
  }
  if (state.boot == StoredState::Boot::other) store_->replace(all_stored());
  return restart;
}

std::optional<LeaseEnd> JobKeeping::take_back(const StoredJob& stored, Restored restored,
                                              const StoredState& state, TimePoint now) {
  const JobSnapshot& snapshot = stored.job;
  const JobId number = snapshot.id;
  JobRecord& job = jobs_.add(number, snapshot.request.id, stored.declared);
  job.request = snapshot.request;
  job.cost = snapshot.cost;
  job.arrived = snapshot.arrived;
  job.admitted = snapshot.admitted;
  job.starting = snapshot.starting;
  job.frozen = snapshot.frozen;
  job.order = snapshot.order;
  job.kept = true;
  job.held = stored.lease.hold == StoredLease::Hold::connection;
  job.owner = stored.owner;
  job.batch = stored.batch;
  if (auto* permit = std::get_if<Permit>(&restored)) {
    job.cost = permit->cost();
    job.permit = std::move(*permit);
  }
  usages_.predict(job);

  LeaseTerms terms;
  terms.heartbeat = stored.lease.heartbeat;
  if (stored.lease.process) terms.process = stored.lease.process->pid;
  if (!terms.process && !terms.heartbeat) terms.heartbeat = kDefaultHeartbeat;
  StoredLease lease = stored.lease;
  lease.heartbeat = terms.heartbeat;
  const TimePoint deadline = lease.heartbeat ? deadline_after(lease, state.boot, now) : now;
  leases_.resume(number, terms, deadline);

  if (const auto* refused = std::get_if<Refusal>(&restored)) {
    job.refusal = *refused;
    return LeaseEnd::refused;
  }
  if (!terms.process) return end_while_away(stored, state.boot, 0);
  job.process_started = stored.lease.process->started;
  callbacks_.holders.follow(job, *terms.process);
  const std::uint64_t started = callbacks_.process_started(*terms.process);
  if (const auto cause = end_while_away(stored, state.boot, started)) return cause;
  return watch_again(number, *terms.process, started);
}

/// Checks the process again once it is watched: only then can no other process get its pid.
std::optional<LeaseEnd> JobKeeping::watch_again(JobId job, pid_t process, std::uint64_t started) {
  const bool is_watched = !callbacks_.watch(job, process);
  if (callbacks_.process_started(process) != started) return LeaseEnd::process;
  if (is_watched) {
    const JobRecord* found = jobs_.find(job);
    if (found) usages_.begin_cpu(*found, Clock::now());
    unwatched_.erase(job);
  } else {
    unwatched_.insert(job);
  }
  return std::nullopt;
}

void JobKeeping::watch_unwatched(const std::function<void(JobId)>& process_ended) {
  const std::set<JobId> jobs = unwatched_;
  for (const JobId number : jobs) {
    const JobRecord& job = jobs_.at(number);
    const LeaseTerms* terms = leases_.terms(number);
    const auto cause = watch_again(number, *terms->process, job.process_started);
    if (cause) process_ended(number);
  }
}

StoredJob JobKeeping::stored_of(const JobRecord& job) const {
  StoredJob stored;
  stored.owner = job.owner;
  stored.batch = job.batch;
  stored.job = snapshot_of(job);
  stored.job.request.id = job.id;
  if (job.permit) stored.job.cost = job.permit.cost();
  const LeaseTerms& terms = *leases_.terms(job.number);
  StoredLease& lease = stored.lease;
  if (job.held) lease.hold = StoredLease::Hold::connection;
  if (terms.process) lease.process = LeaseProcess{*terms.process, job.process_started};
  lease.heartbeat = terms.heartbeat;
  if (terms.heartbeat) lease.renewed = *leases_.deadline(job.number) - *terms.heartbeat;
  return stored;
}

std::vector<StoredJob> JobKeeping::all_stored() const {
  std::vector<StoredJob> all;
  for (const auto& [number, job] : jobs_.all()) {
    if (job.kept && !job.ended_by) all.push_back(stored_of(job));
  }
  return all;
}

void JobKeeping::begin(JobRecord& job, std::optional<pid_t> process) {
  if (!store_) return;
  job.request = governor_.complete(std::move(job.request));
  if (process) job.process_started = callbacks_.process_started(*process);
  save(job);
}

void JobKeeping::save(JobRecord& job) {
  job.kept = true;
  renewed_.erase(job.number.value);
  store_->put(stored_of(job));
}

void JobKeeping::save_again(JobRecord& job) {
  if (job.kept) save(job);
}

/// The governor knows the result of the change.
void JobKeeping::save_changed(JobRecord& job) {
  const auto view = job.kept ? governor_.job(job.number) : std::nullopt;
  if (!view) return;
  job.request = view->request;
  job.cost = view->cost;
  // Otherwise its permit is on the way to this thread.
  if (view->state == JobState::pending) {
    job.frozen = view->frozen;
    job.order = view->order;
  }
  save(job);
}

/// When the daemon stops, neither the stop nor the connections it closes remove a stored job.
void JobKeeping::remove(const JobRecord& job, LeaseEnd cause) {
  renewed_.erase(job.number.value);
  unwatched_.erase(job.number);
  if (!job.kept) return;
  if (stopped_ && (cause == LeaseEnd::stop || cause == LeaseEnd::connection)) return;
  store_->remove(job.number,
                 job.outcome == Outcome::ok ? JobStore::End::well : JobStore::End::badly);
}

bool JobKeeping::renew(JobId job, TimePoint now) {
  if (!leases_.renew(job, now)) return false;
  if (store_) renewed_.insert(job.value);
  return true;
}

void JobKeeping::store_renewals() {
  std::vector<std::pair<JobId, TimePoint>> renewals;
  for (const std::uint64_t number : std::exchange(renewed_, {})) {
    const JobId job{number};
    const LeaseTerms* terms = leases_.terms(job);
    if (!terms || !terms->heartbeat) continue;
    renewals.emplace_back(job, *leases_.deadline(job) - *terms->heartbeat);
  }
  store_->renew(renewals);
}

void JobKeeping::flush(TimePoint now, const std::function<void(JobId)>& process_ended) {
  if (!store_) return;
  store_renewals();
  watch_unwatched(process_ended);
  if (!store_->failing()) {
    retry_store_.reset();
  } else if (!retry_store_) {
    retry_store_ = now + kRetryStore;
  } else if (*retry_store_ <= now) {
    store_->replace(all_stored());
    retry_store_ = now + kRetryStore;
  }
}

bool JobKeeping::stop() {
  stopped_ = true;
  if (store_ && store_->failing()) store_->replace(all_stored());
  if (!store_ || store_->failing()) return false;
  store_renewals();
  return true;
}

void JobKeeping::release_memory() {
  if (store_) store_->release_memory();
}

}  // namespace sluice
