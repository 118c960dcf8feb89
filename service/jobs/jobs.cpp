#include "service/jobs/jobs.h"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "service/access/permission.h"
#include "service/jobs/lease_recovery.h"
#include "service/jobs/memory_reserve.h"

namespace sluice {

std::variant<Jobs::Submitted, ApiError> Jobs::submit(Submit submit, http::ConnectionId connection,
                                                     const http::Peer& peer, TimePoint now) {
  if (!submit.id.empty()) {
    const JobRecord* there = find(submit.id);
    if (there && !there->ended_by) {
      renew(there->number, now);
      return Submitted{there, Submitted::How::existed};
    }
  }
  submit.owner = peer.user;
  submit.request.user = learned_as(peer.user, geteuid());
  submit.request.parent = parents_.parent_of(submit, peer);
  if (parents_.depth_of(submit.request.parent) >= kMostNested) {
    return ApiError{
        422, "too_deep",
        "too many nested jobs: at most " + std::to_string(kMostNested) + " may share one permit",
        "parent"};
  }
  LeaseTerms terms;
  terms.heartbeat = submit.heartbeat;
  if (submit.hold == Submit::Hold::connection) terms.connection = connection;
  if (submit.process) {
    const pid_t* named = std::get_if<pid_t>(&*submit.process);
    terms.process = named ? *named : peer.pid;
    if (*terms.process <= 0) {
      return ApiError{400, "no_process",
                      "the daemon cannot see the client's process: `hold` the connection instead",
                      "pid"};
    }
    // Check this before anything is counted or waits.
    if (auto problem = callbacks_.unwatchable(*terms.process)) {
      return ApiError{400, "no_process", *std::move(problem), "pid"};
    }
  }
  return start(std::move(submit), terms, peer.pid, now);
}

std::variant<Jobs::Submitted, ApiError> Jobs::start(Submit submit, LeaseTerms terms, pid_t peer,
                                                    TimePoint now) {
  if (auto error = resolve_after(submit)) return *std::move(error);
  if (auto error = known_.make_room(submit.declared, 1)) return *std::move(error);
  const Infallible whole;
  auto result = governor_.admit_or_queue(submit.request, callbacks_.hand_over);
  if (const auto* refusal = std::get_if<Refusal>(&result)) return refuse(*refusal, submit.request);
  auto* permit = std::get_if<Permit>(&result);
  const Queued queued =
      permit ? Queued{permit->id(), false, 0, permit->cost()} : std::get<Queued>(result);
  if (queued.deduplicated) {
    if (const JobRecord* first = find(queued.id)) {
      return Submitted{first, Submitted::How::deduplicated};
    }
    return ApiError{409, "deduplicated",
                    "job " + std::to_string(queued.id.value) +
                        " of the daemon itself already waits and will run instead"};
  }
  const JobId number = queued.id;
  JobRecord& job = add(number, std::move(submit), queued.cost, now);
  job.held = terms.connection.has_value();
  callbacks_.holders.follow(job, terms.process ? *terms.process : job.held ? peer : 0);
  leases_.begin(number, terms, now);
  if (permit) admitted(number, std::move(*permit), now);
  if (terms.process) {
    // A problem here means that the process has just ended.
    if (auto problem = callbacks_.watch(number, *terms.process)) {
      end(number, LeaseEnd::process, Outcome::cancelled);
      return ApiError{400, "no_process", *std::move(problem), "pid"};
    }
    usages_.begin_cpu(job, now);
  }
  if (!permit) {
    job.order = {queued.arrival, static_cast<std::int64_t>(queued.arrival), 0};
  }
  keeping_.begin(job, terms.process);
  if (callbacks_.submitted) callbacks_.submitted(job);
  return Submitted{&job, Submitted::How::added};
}

std::optional<ApiError> Jobs::resolve_after(Submit& submit) const {
  for (const std::string& name : submit.after) {
    const JobRecord* job = find(name);
    if (!job) {
      return invalid({"after", "no job was submitted as `" + name + "`, or it ended too long ago"});
    }
    submit.request.after.push_back(job->number);
  }
  return std::nullopt;
}

ApiError Jobs::refuse(const Refusal& refusal, const JobRequest& request) const {
  if (refusal.code == RefusalCode::invalid) {
    if (auto bad = governor_.check(request)) return invalid(*std::move(bad));
  }
  return refused(refusal, [this](JobId job) { return name_of(job); });
}

std::optional<JobView> Jobs::view_of(JobId number) {
  auto view = governor_.job(number);
  if (view) known_.at(number).request = view->request;
  return view;
}

std::optional<Explanation> Jobs::explain(JobId number) {
  auto explanation = governor_.explain(number);
  if (explanation) known_.at(number).request = explanation->job.request;
  return explanation;
}

std::optional<ApiError> Jobs::change(const JobRecord& job, Change change) {
  if (!change.of.empty()) {
    const JobRecord* other = find(change.of);
    if (!other || other->admitted || other->ended_by) {
      return invalid({"position", "there is no pending job `" + change.of + "`"});
    }
    change.change.position->of = other->number;
  }
  if (auto error = known_.make_room_for_change(job, change.declared)) return error;
  const Infallible whole;
  auto bad = governor_.set(job.number, change.change);
  if (!bad) {
    JobRecord& record = known_.at(job.number);
    keeping_.save_changed(record);
    known_.count_change(record, change.declared);
    if (callbacks_.changed) callbacks_.changed(record, change);
    return std::nullopt;
  }
  // The job ended, but this thread does not know yet.
  if (bad->field == "id") return ApiError{409, "job_finished", "the job is finished"};
  return invalid(*std::move(bad));
}

JobRecord& Jobs::add(JobId number, Submit submit, Points cost, TimePoint now) {
  JobRecord& job = known_.add(number, std::move(submit.id), submit.declared);
  job.owner = submit.owner;
  job.request = std::move(submit.request);
  job.batch = std::move(submit.batch);
  job.cost = cost;
  job.arrived = now;
  usages_.predict(job);
  return job;
}

void Jobs::wait(JobId job, http::ConnectionId connection, DeferredRequest asked, int status,
                TimePoint until, LeaseEffect lease_effect) {
  const Infallible whole;
  JobRecord& record = known_.at(job);
  ++record.waiters;
  if (lease_effect == LeaseEffect::keeps_alive) ++record.keepers;
  waiters_[connection] = Waiter{job, asked, status, until, lease_effect};
  wait_ends_.emplace(until, connection);
}

bool Jobs::started(JobId number, TimePoint now) {
  JobRecord* job = known_.find(number);
  if (!job || !job->permit) return false;
  const Infallible whole;
  job->permit.started();
  job->starting = false;
  renew(number, now);
  keeping_.save_again(*job);
  return true;
}

void Jobs::measure_below(JobId number, pid_t process) {
  JobRecord* job = known_.find(number);
  if (!job || job->ended_by || !callbacks_.measure_below) return;
  callbacks_.measure_below(number, process);
  usages_.begin_cpu(*job, Clock::now());
  job->leader_named = true;
}

bool Jobs::renew(JobId job, TimePoint now) {
  const Infallible whole;
  return keeping_.renew(job, now);
}

template <typename Work>
void Jobs::contain(const char* what, Work&& work) {
  if (callbacks_.faults) {
    callbacks_.faults->contain(FaultPlace::event, what, std::forward<Work>(work));
  } else {
    std::forward<Work>(work)();
  }
}

bool Jobs::end(JobId number, LeaseEnd cause, Outcome outcome) {
  JobRecord* found = known_.find(number);
  if (!found) return false;
  const Infallible whole;
  const LeaseTerms* terms = leases_.terms(number);
  const bool watched = terms && terms->process;
  if (!leases_.end(number, cause)) return false;
  if (callbacks_.holders.over) callbacks_.holders.over(number);
  JobRecord& job = *found;
  if (watched || job.leader_named) callbacks_.unwatch(number);
  job.ended_by = cause;
  job.outcome = job.admitted ? outcome : Outcome::cancelled;
  contain("brake", [&] { usages_.end_braking(number, Clock::now()); });
  // Learn before the points are returned, so that the next job benefits.
  contain("learn", [&] { usages_.learn(job, cause); });
  if (job.permit) {
    contain("release", [&] { job.permit.release(job.outcome); });
  } else {
    // Fails if the permit is on its way to this thread: `admitted` returns that one.
    contain("cancel", [&] { governor_.cancel(number); });
  }
  contain("over", [&] {
    if (callbacks_.over) callbacks_.over(job);
  });
  contain("unsave", [&] { keeping_.remove(job, cause); });
  contain("answer", [&] { answer_waiters(job); });
  known_.note_end(number);
  return true;
}

void Jobs::admitted(JobId number, Admission admission, TimePoint now) {
  Permit* permit = std::get_if<Permit>(&admission);
  JobRecord* found = known_.find(number);
  if (!found || found->ended_by) {
    if (permit) permit->release(Outcome::cancelled);
    return;
  }
  if (!permit) {
    const Refusal& refusal = std::get<Refusal>(admission);
    const bool stopped =
        refusal.code == RefusalCode::draining || refusal.code == RefusalCode::cancelled;
    if (!stopped) found->refusal = refusal;
    end(number, stopped ? LeaseEnd::stop : LeaseEnd::refused, Outcome::cancelled);
    return;
  }
  JobRecord& job = *found;
  job.permit = std::move(*permit);
  job.cost = job.permit.cost();  // A child may hold less than it asked for.
  job.admitted = now;
  job.starting = job.request.reports_started;
  usages_.begin(job, now);
  renew(number, now);
  keeping_.save_again(job);
  if (callbacks_.began) callbacks_.began(job);
  answer_waiters(job);
}

void Jobs::leave(const Waiter& waiter) {
  JobRecord& job = known_.at(waiter.job);
  --job.waiters;
  if (waiter.lease_effect == LeaseEffect::keeps_alive) --job.keepers;
}

void Jobs::connection_closed(http::ConnectionId connection) {
  if (const auto waiter = waiters_.find(connection); waiter != waiters_.end()) {
    leave(waiter->second);
    wait_ends_.erase({waiter->second.until, connection});
    waiters_.erase(waiter);
  }
  for (const JobId job : leases_.of_connection(connection)) {
    end(job, LeaseEnd::connection, outcome_of_lost(known_.at(job), Outcome::cancelled));
  }
}

/// The kernel may have killed the job together with its holder.
Outcome Jobs::outcome_of_lost(const JobRecord& job, Outcome otherwise) const {
  if (!callbacks_.holders.lost || !job.admitted || job.holder == 0) return otherwise;
  const LostHolder lost = callbacks_.holders.lost(job.number, job.holder);
  return sluice::outcome_of_lost(lost, job.last_use, otherwise);
}

void Jobs::process_ended(JobId job) {
  const JobRecord* record = find(job);
  if (!record) return;
  const Outcome usual = outcome_without_finish(record->held);
  end(job, LeaseEnd::process, outcome_of_lost(*record, usual));
}

void Jobs::tick(TimePoint now) {
  while (!wait_ends_.empty() && wait_ends_.begin()->first <= now) {
    const http::ConnectionId connection = wait_ends_.begin()->second;
    const Waiter& waiter = waiters_.at(connection);
    if (waiter.lease_effect == LeaseEffect::keeps_alive) renew(waiter.job, now);
    answer(connection);
  }
  for (const JobId job : leases_.due(now)) {
    // A client that waits for an answer is alive.
    if (known_.at(job).keepers > 0) {
      renew(job, now);
    } else {
      end(job, LeaseEnd::deadline, Outcome::cancelled);
    }
  }
}

std::optional<TimePoint> Jobs::next_deadline() const {
  auto next = leases_.next_deadline();
  if (!wait_ends_.empty() && (!next || wait_ends_.begin()->first < *next)) {
    next = wait_ends_.begin()->first;
  }
  return next;
}

void Jobs::answer_waiters(const JobRecord& job) {
  if (job.waiters == 0) return;
  std::vector<http::ConnectionId> connections;
  for (const auto& [connection, waiter] : waiters_) {
    if (waiter.job == job.number) connections.push_back(connection);
  }
  for (const http::ConnectionId connection : connections) answer(connection);
}

void Jobs::answer(http::ConnectionId connection) {
  const auto found = waiters_.find(connection);
  const Waiter waiter = found->second;
  wait_ends_.erase({waiter.until, connection});
  waiters_.erase(found);
  leave(waiter);
  callbacks_.answer(connection, waiter.asked, waiter.status, known_.at(waiter.job));
}

void Jobs::release_memory() {
  known_.forget_all_but(kRememberedAfterCrowd);
  keeping_.release_memory();
}

Jobs::Restart Jobs::attach_store(std::unique_ptr<JobStore> store, TimePoint now) {
  return keeping_.resume(std::move(store), parents_.tokens(), std::bind_front(&Jobs::end, this),
                         now);
}

void Jobs::flush(TimePoint now) {
  usages_.count_kills();
  keeping_.flush(now, [this](JobId job) { process_ended(job); });
}

void Jobs::stop() {
  if (keeping_.stop()) {
    while (!waiters_.empty()) answer(waiters_.begin()->first);
    return;
  }
  std::vector<JobId> alive;
  for (const auto& [number, job] : known_.all()) {
    if (!job.ended_by) alive.push_back(job.number);
  }
  for (const JobId job : alive) end(job, LeaseEnd::stop, Outcome::cancelled);
}

}  // namespace sluice
