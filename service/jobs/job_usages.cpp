#include "service/jobs/job_usages.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "costmodel/history.h"
#include "service/jobs/memory_reserve.h"

namespace sluice {
namespace {

/// Holders report four times a second.
constexpr Duration kUsageSilent = std::chrono::milliseconds(600);

/// Whether the daemon's own samples confirm the client's peak: the largest sample is at least four
/// fifths of it, since sampling misses brief peaks.
SeenBy seen_by(const JobRecord& job) {
  const Bytes claimed = job.usage->peak_memory;
  const bool confirmed = claimed.value <= job.seen_peak.value / 4 * 5;
  return confirmed ? SeenBy::governor : SeenBy::client;
}

/// If only the lease ended, the job's outcome and its final usage were not reported, unless the
/// kernel did.
Outcome taught(Outcome outcome, LeaseEnd cause) {
  const bool is_by_kernel = outcome == Outcome::oom || outcome == Outcome::unknown;
  return cause == LeaseEnd::finish || is_by_kernel ? outcome : Outcome::cancelled;
}

void tell_permit(JobRecord& job, JobUsage usage) {
  // A reading is older than what the holder said since.
  if (job.told) usage.wall = std::max(usage.wall, job.told->wall);
  job.told = usage;
  job.permit.measured(usage);
}

}  // namespace

JobUsage without_children(const JobRecord& job, JobUsage usage) {
  usage.cpu -= std::min(usage.cpu, job.children_cpu);
  usage.cpu_delay -= std::min(usage.cpu_delay, job.children_delay);
  if (job.had_children && job.own_peak) usage.peak_memory = *job.own_peak;
  return usage;
}

void JobUsages::predict(JobRecord& job) const {
  if (history_) job.prediction = history_->predict(job.request);
  if (job.permit && job.prediction) job.limits = enforced_limits(reservation_, *job.prediction);
}

void JobUsages::begin(JobRecord& job, TimePoint now) const {
  begin_cpu(job, now);
  job.kills_before = kills_;
  predict(job);
}

void JobUsages::begin_cpu(const JobRecord& job, TimePoint now) const {
  if (job.permit && callbacks_.cpu_begins) callbacks_.cpu_begins(job.number, now);
}

void JobUsages::count_kills() {
  if (callbacks_.oom_kills) kills_ = callbacks_.oom_kills();
}

std::optional<Bytes> JobUsages::memory_kept_for(const JobRecord& job) const {
  if (job.request.memory) return job.request.memory;
  const bool is_expected = job.prediction && job.prediction->memory;
  return is_expected ? std::optional(reserved_peak(reservation_, *job.prediction->memory))
                     : std::nullopt;
}

std::optional<Bytes> JobUsages::memory_of_next(const JobRecord& job) const {
  if (job.request.memory) return job.request.memory;
  const Prediction next = history_ ? history_->predict(job.request) : Prediction{};
  return next.memory ? std::optional(reserved_peak(reservation_, *next.memory)) : std::nullopt;
}

std::pair<Fit, Prediction> JobUsages::fit(const JobRequest& job, const Status& status) const {
  const Prediction need = history_ ? history_->predict(job) : Prediction{};
  const double cpus = std::max(1.0, static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  return {fit_in(room_of(status, cpus), need, reservation_.z), need};
}

std::vector<std::string> JobUsages::heavy_programs(std::string_view user) const {
  return history_ ? history_->heavy_programs(user) : std::vector<std::string>{};
}

void JobUsages::configure_memory(const ReservationOptions& options, MemoryMeter brake) {
  reservation_ = options;
  brake_ = RemoteBrake(std::move(brake), options.z);
}

void JobUsages::brake(const JobRecord& job, const JobUsage& usage, TimePoint now) {
  const Prediction expected = history_ ? history_->predict(job.request) : Prediction{};
  tell_braked(brake_.report(job.number, usage, expected, now, job.owner, job.request.parent));
}

void JobUsages::tell_braked(const std::vector<BrakeAction>& actions) {
  for (const BrakeAction& action : actions) {
    if (callbacks_.braked) callbacks_.braked(jobs_.at(JobId{action.job}), action);
  }
}

/// Kernel OOM kills since the job began; nullopt if the kernel does not say.
std::optional<std::uint64_t> JobUsages::kills_since(const JobRecord& job) const {
  const auto kills = callbacks_.oom_kills ? callbacks_.oom_kills() : std::nullopt;
  if (!kills || !job.kills_before) return std::nullopt;
  return *kills - std::min(*kills, *job.kills_before);
}

JobUsage JobUsages::believable(const JobRecord& job, const JobUsage& usage, TimePoint now) const {
  MostUsed most = callbacks_.most_used;
  most.age = now - job.admitted.value_or(now);
  if (usage.oom_kills > 0) most.oom_kills = kills_since(job);
  JobUsage believed = bounded(usage, most);
  const auto read = callbacks_.cpu ? callbacks_.cpu(job.number, now) : std::nullopt;
  if (read) believed = bounded(confirmed(believed, *read, most.age, most.cores), most);
  const auto held = callbacks_.held ? callbacks_.held(job.number, now) : std::nullopt;
  if (!held) return believed;
  believed.source = JobUsage::Source::processes;
  believed.memory = *held;
  believed.peak_memory = std::max(believed.peak_memory, *held);
  return believed;
}

/// Memory is reserved for the expected growth of running jobs: unmeasured figures count only from
/// users that everybody trusts.
bool JobUsages::may_raise_expectations(const JobRecord& job) const {
  const bool is_told = job.usage->source == JobUsage::Source::reported;
  return history_ && (!is_told || job.request.user.empty());
}

bool JobUsages::measured(JobId number, JobUsage usage, TimePoint now) {
  JobRecord* found = jobs_.find(number);
  if (!found || !found->permit) return false;
  const Infallible whole;
  JobRecord& job = *found;
  usage = believable(job, usage, now);
  if (usage.source != JobUsage::Source::reported) {
    job.seen_peak = std::max(job.seen_peak, usage.memory);
  }
  if (job.usage) usage.peak_memory = std::max(usage.peak_memory, job.usage->peak_memory);
  const Bytes before = job.usage ? job.usage->memory : Bytes{0};
  job.usage = usage;
  job.last_use = now;
  note_own_memory(job, before);
  const auto read = callbacks_.cpu ? callbacks_.cpu(number, now) : std::nullopt;
  tell_permit(job, read ? as_of_reading(usage, *read) : usage);
  const JobUsage own = without_children(job, usage);
  // The use of running children is not told from its own, and a holder that tells its CPU time at
  // the end only has not computed in one burst.
  const bool is_known = own.cpu > Duration{0} || read;
  if (!job.had_children && is_known) job.recorded.see(own);
  if (may_raise_expectations(job)) history_->running(number.value, job.request, own);
  if (job.request.suspendable) brake(job, usage, now);
  return true;
}

void JobUsages::charge(JobId number, const JobUsage& usage) {
  JobRecord* job = jobs_.find(number);
  if (!job || !job->permit) return;
  job->charged = true;
  tell_permit(*job, usage);
}

void JobUsages::measure_silent(TimePoint now) {
  if (!callbacks_.cpu) return;
  for (auto& [number, job] : jobs_.all()) {
    const bool is_silent = !job.last_use || now - *job.last_use > kUsageSilent;
    if (!job.permit || job.charged || !job.request.measured || !is_silent) continue;
    if (!callbacks_.cpu(job.number, now)) continue;
    tell_permit(job, believable(job, job.usage.value_or(JobUsage{}), now));
  }
}

void JobUsages::learn(const JobRecord& job, LeaseEnd cause) {
  note_child(job);
  if (!history_) return;
  history_->ended(job.number.value);
  // A job that reports no memory says nothing about its need, least of all that it needs none.
  if (!job.admitted || !job.usage || job.usage->peak_memory == Bytes{0}) return;
  Outcome outcome = taught(job.outcome, cause);
  if (outcome == Outcome::unknown) return;
  // No job was killed for memory if the kernel killed none.
  if (outcome == Outcome::oom && kills_since(job) == 0U) outcome = Outcome::failed;
  const auto& need = job.prediction ? job.prediction->memory : std::nullopt;
  const Bytes kept{need ? static_cast<std::uint64_t>(need->mean) : 0};
  history_->learn(sample_of(job.request, without_children(job, *job.usage), seen_by(job), outcome,
                            kept, unix_seconds(), &job.recorded));
}

/// Call this after a new measurement; it also updates the parent.
void JobUsages::note_own_memory(JobRecord& job, Bytes before) {
  const Bytes held = job.usage->memory;
  const Bytes own{held.value - std::min(held.value, job.children_memory.value)};
  job.own_peak = std::max(job.own_peak.value_or(own), own);
  JobRecord* above = running_parent(job);
  if (!above) return;
  above->had_children = true;
  above->children_memory.value += held.value;
  above->children_memory.value -= std::min(above->children_memory.value, before.value);
}

/// A child has ended: its usage is not its parent's.
void JobUsages::note_child(const JobRecord& child) {
  JobRecord* above = child.usage ? running_parent(child) : nullptr;
  if (!above) return;
  above->had_children = true;
  above->children_cpu += child.usage->cpu;
  above->children_delay += child.usage->cpu_delay;
  const Bytes held = child.usage->memory;
  above->children_memory.value -= std::min(above->children_memory.value, held.value);
}

JobRecord* JobUsages::running_parent(const JobRecord& job) {
  JobRecord* parent = jobs_.find(job.request.parent);
  return parent && !parent->ended_by ? parent : nullptr;
}

}  // namespace sluice
