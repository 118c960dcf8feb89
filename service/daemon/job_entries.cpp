#include "service/daemon/job_entries.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "service/jobs/job_usages.h"
#include "service/jobs/leases.h"

namespace sluice {
namespace {

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
  record::JobSubmitted entry{job.number,       {job.id},       {request.key},
                             {request.queue},  job.owner,      request.priority.value_or(0),
                             job.cost,         request.parent, {request.program},
                             {request.variant}};
  entry.own_cost = request.cost;
  entry.memory = request.memory;
  entry.inventory = request.inventory;
  for (const LevelLocks& each : request.locks.value_or(std::vector<LevelLocks>{})) {
    entry.locks.push_back({{each.level}, {to_text(each)}});
  }
  for (const ResourceDemand& each : request.resources) {
    entry.resources.push_back({{each.manager}, each.amount});
  }
  entry.after = request.after;
  return entry;
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
