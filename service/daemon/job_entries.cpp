#include "service/daemon/job_entries.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/mapped.h"
#include "service/jobs/job_usages.h"
#include "service/jobs/leases.h"

namespace sluice {
namespace {

std::vector<std::pair<record::Name, record::Name>> lock_names(
    const std::vector<LevelLocks>& locks) {
  return mapped(locks, [](auto& each) {
    return std::pair(record::Name{each.level}, record::Name{to_text(each)});
  });
}

/// What a run of the job was like, by what was measured of it.
void add_use(record::JobFinished& entry, const JobRecord& job) {
  const JobUsage& usage = *job.usage;
  entry.cpu = usage.cpu;
  entry.wall = usage.wall;
  entry.peak = without_children(job, usage).peak_memory;
  entry.cpu_delay = usage.cpu_delay;
  entry.disk.value = usage.read.value_or(Bytes{}).value + usage.written.value_or(Bytes{}).value;
  const CpuProfile cores = job.recorded.until(usage);
  for (const CpuPhase& each : cores.valid()) {
    entry.cores_over_time.emplace_back(each.until, thousandths(each.cores));
  }
  const MemoryCourse memory = job.recorded.memory_until(usage);
  for (const MemoryStep& each : memory.valid()) {
    const Bytes bytes{static_cast<std::uint64_t>(std::max(each.bytes, 0.0))};
    entry.memory_over_time.emplace_back(each.until, bytes);
  }
}

}  // namespace

std::int64_t thousandths(double number) {
  return static_cast<std::int64_t>(std::llround(std::clamp(number, -1e9, 1e9) * 1000));
}

record::JobSubmitted submitted_entry(const JobRecord& job) {
  const JobRequest& request = job.request;
  record::JobSubmitted entry{.job = job.number,
                             .id = {job.id},
                             .key = {request.key},
                             .queue = {request.queue},
                             .user = job.owner,
                             .priority = request.priority.value_or(0),
                             .cost = job.cost,
                             .parent = request.parent,
                             .program = {request.program},
                             .variant = {request.variant}};
  entry.own_cost = request.cost;
  entry.memory = request.memory;
  entry.inventory = request.inventory;
  entry.declares_locks = request.locks.has_value();
  if (request.locks) entry.locks = lock_names(*request.locks);
  for (const ResourceDemand& each : request.resources) {
    entry.resources.push_back({{each.manager}, each.amount});
  }
  entry.after = request.after;
  entry.global_lock = request.global_lock;
  for (const std::string& each : request.reasons) entry.reasons.push_back({each});
  entry.on_failure = to_string(request.on_failure);
  entry.nice = request.nice;
  entry.batch = {job.batch.id};
  entry.batch_waiting = job.batch.most_waiting;
  entry.batch_unfinished = job.batch.most_unfinished;
  return entry;
}

record::JobChanged changed_entry(JobId job, const Change& change) {
  const JobChange& what = change.change;
  record::JobChanged entry{job, change.by};
  entry.priority = what.priority;
  if (what.queue) entry.queue = record::Name{*what.queue};
  if (what.position) {
    entry.place = record::kPlaces.at(static_cast<std::size_t>(what.position->where));
    entry.of = what.position->of;
  }
  entry.frozen = what.frozen;
  entry.nice = what.nice;
  if (what.locks) entry.locks = lock_names(*what.locks);
  entry.global_lock = what.global_lock;
  return entry;
}

record::JobWaits waits_entry(const JobView& job) {
  const Refusal& refusal = *job.refusal;
  return {.job = job.id,
          .code = std::string(to_string(refusal.code)),
          .binding = {std::string(refusal.binding)},
          .cost = refusal.cost,
          .usage = refusal.usage,
          .size = refusal.size,
          .ahead = refusal.ahead,
          .needs = refusal.needs,
          .free = refusal.free,
          .total = refusal.total,
          .place = job.place};
}

record::JobStarted started_entry(const JobRecord& job, Points usage, Points size, Bytes kept) {
  record::JobStarted started;
  started.job = job.number;
  started.cost = job.cost;
  started.usage = usage;
  started.size = size;
  started.kept = kept;
  if (const auto rung = job.rung()) started.rung = to_string(*rung);
  if (!job.prediction) return started;
  if (const auto& memory = job.prediction->memory) {
    started.expected_memory = Bytes{static_cast<std::uint64_t>(std::max(memory->mean, 0.0))};
  }
  started.expected_time = job.prediction->duration.value_or(Duration{0});
  started.expected_millicores = thousandths(job.prediction->cores.value_or(0));
  return started;
}

record::JobRestated restated_entry(const JobRecord& job, Bytes kept) {
  record::JobRestated entry;
  entry.submitted = submitted_entry(job);
  entry.arrived = job.arrived;
  if (!job.admitted) return entry;
  entry.started = started_entry(job, {}, {}, kept);
  entry.admitted = *job.admitted;
  return entry;
}

record::JobFinished finished_entry(const JobRecord& job) {
  record::JobFinished finished;
  finished.job = job.number;
  finished.outcome = to_string(job.outcome);
  finished.ended_by = to_string(job.ended_by.value_or(LeaseEnd::stop));
  if (job.refusal) finished.refusal = to_string(job.refusal->code);
  finished.measured = job.usage.has_value();
  if (job.usage) add_use(finished, job);
  return finished;
}

}  // namespace sluice
