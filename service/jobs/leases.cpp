#include "service/jobs/leases.h"

#include "base/enum_names.h"

namespace sluice {

std::string_view to_string(LeaseEnd end) {
  static constexpr EnumNames<LeaseEnd::refused> kNames{"finish",   "process", "connection",
                                                       "deadline", "stop",    "refused"};
  return kNames.of(end);
}

void Leases::begin(JobId job, LeaseTerms terms, TimePoint now) {
  if (!terms.connection && !terms.process && !terms.heartbeat) terms.heartbeat = kDefaultHeartbeat;
  resume(job, terms, now + terms.heartbeat.value_or(Duration{0}));
}

void Leases::resume(JobId job, LeaseTerms terms, TimePoint deadline) {
  if (terms.connection) by_connection_[*terms.connection].insert(job);
  if (terms.process) by_process_[*terms.process].insert(job);
  Lease lease{terms, std::nullopt};
  if (terms.heartbeat) {
    lease.deadline = deadline;
    deadlines_.emplace(deadline, job);
  }
  leases_.emplace(job.value, lease);
}

bool Leases::renew(JobId job, TimePoint now) {
  const auto found = leases_.find(job.value);
  if (found == leases_.end()) return false;
  Lease& lease = found->second;
  if (!lease.deadline) return true;
  deadlines_.erase({*lease.deadline, job});
  lease.deadline = now + *lease.terms.heartbeat;
  deadlines_.emplace(*lease.deadline, job);
  return true;
}

bool Leases::end(JobId job, LeaseEnd cause) {
  const auto found = leases_.find(job.value);
  if (found == leases_.end()) return false;
  const Lease& lease = found->second;
  if (lease.deadline) deadlines_.erase({*lease.deadline, job});
  const auto take_from = [job](auto& held_by, const auto& holder) {
    const auto held = held_by.find(holder);
    held->second.erase(job);
    if (held->second.empty()) held_by.erase(held);
  };
  if (lease.terms.connection) take_from(by_connection_, *lease.terms.connection);
  if (lease.terms.process) take_from(by_process_, *lease.terms.process);
  leases_.erase(found);
  ++ended_[static_cast<std::size_t>(cause)];
  return true;
}

std::vector<JobId> Leases::of_connection(http::ConnectionId connection) const {
  const auto found = by_connection_.find(connection);
  if (found == by_connection_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<JobId> Leases::of_process(pid_t process) const {
  const auto found = by_process_.find(process);
  if (found == by_process_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<JobId> Leases::due(TimePoint now) const {
  std::vector<JobId> jobs;
  for (const auto& [deadline, job] : deadlines_) {
    if (deadline > now) break;
    jobs.push_back(job);
  }
  return jobs;
}

std::optional<TimePoint> Leases::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

const LeaseTerms* Leases::terms(JobId job) const {
  const auto found = leases_.find(job.value);
  return found == leases_.end() ? nullptr : &found->second.terms;
}

std::optional<TimePoint> Leases::deadline(JobId job) const {
  const auto found = leases_.find(job.value);
  return found == leases_.end() ? std::nullopt : found->second.deadline;
}

}  // namespace sluice
