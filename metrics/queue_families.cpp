#include "metrics/queue_families.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/seconds.h"

namespace sluice {
namespace {

HeldMemory sum_of(const HeldMemory& a, const HeldMemory& b) {
  return {Bytes{a.measured.value + b.measured.value}, Bytes{a.reported.value + b.reported.value},
          Bytes{a.declared.value + b.declared.value}, a.unverified + b.unverified};
}

void add_branch(const QueueStatus& branch, QueueStatus& queue) {
  queue.running += branch.running;
  queue.pending += branch.pending;
  queue.pending_cost += branch.pending_cost;
  queue.held += branch.held;
  queue.held_cost += branch.held_cost;
  queue.memory = sum_of(queue.memory, branch.memory);
  if (!branch.oldest_arrival) return;
  const bool is_older = !queue.oldest_arrival || *branch.oldest_arrival < *queue.oldest_arrival;
  if (!is_older) return;
  queue.oldest_arrival = branch.oldest_arrival;
  queue.limiting = branch.limiting;
}

std::size_t count_branches(const std::vector<QueueStatus>& queues) {
  return static_cast<std::size_t>(std::ranges::count_if(
      queues, [](const QueueStatus& queue) { return !queue.branch_of.empty(); }));
}

/// Sums, not a sample for each branch: clients name branches, and there may be any number.
void append_branches(Families& families, const std::vector<QueueStatus>& queues) {
  Samples branches = gauges("sluice_queue_branches",
                            "Branches of queues that have jobs, such as one for each build.");
  branches.add({}, static_cast<double>(count_branches(queues)));
  families.push_back(std::move(branches).to_family());
  Samples jobs = gauges("sluice_queue_branch_jobs",
                        "Jobs of these branches together: running, pending, and ended so far.");
  for (const QueueStatus& queue : queues) {
    if (!queue.branch_of.empty()) continue;
    std::size_t running = 0, pending = 0;
    std::uint64_t ended = 0;
    for (const QueueStatus& branch : queues) {
      if (branch.branch_of != queue.name) continue;
      running += branch.running;
      pending += branch.pending;
      ended += branch.ended;
    }
    const auto add = [&](const char* state, auto count) {
      jobs.add({{"queue", queue.name}, {"state", state}}, static_cast<double>(count));
    };
    add("running", running);
    add("pending", pending);
    add("ended", ended);
  }
  families.push_back(std::move(jobs).to_family());
}

template <typename ValueOf>
void of_each_queue(Families& families, const Status& status, std::string name, std::string help,
                   ValueOf value_of) {
  Samples samples = gauges(std::move(name), std::move(help));
  for (const QueueStatus& queue : status.queues) {
    samples.add({{"queue", queue.name}}, static_cast<double>(value_of(queue)));
  }
  families.push_back(std::move(samples).to_family());
}

void append_held_memory(Families& families, const Status& status) {
  if (!status.memory) return;
  Samples held = gauges("sluice_memory_held_bytes",
                        "Memory held by running jobs: measured by the daemon, else reported by the "
                        "holder and plausible, else declared.");
  Samples unverified =
      gauges("sluice_jobs_unverified", "Running jobs whose memory only their holder reports.");
  for (const QueueStatus& queue : status.queues) {
    const auto add = [&](const char* source, Bytes bytes) {
      held.add({{"queue", queue.name}, {"source", source}}, static_cast<double>(bytes.value));
    };
    add("measured", queue.memory.measured);
    add("reported", queue.memory.reported);
    add("declared", queue.memory.declared);
    unverified.add({{"queue", queue.name}}, static_cast<double>(queue.memory.unverified));
  }
  families.push_back(std::move(held).to_family());
  families.push_back(std::move(unverified).to_family());
}

template <typename ValueOf>
void of_each_manager(Families& families, const Status& status, std::string name, std::string help,
                     ValueOf value_of) {
  Samples samples = gauges(std::move(name), std::move(help));
  for (const ResourceStatus& resource : status.resources) {
    samples.add({{"resource", resource.key}}, static_cast<double>(value_of(resource)));
  }
  families.push_back(std::move(samples).to_family());
}

}  // namespace

std::vector<QueueStatus> without_branches(const std::vector<QueueStatus>& queues) {
  std::vector<QueueStatus> configured;
  for (const QueueStatus& queue : queues) {
    if (queue.branch_of.empty()) configured.push_back(queue);
  }
  for (const QueueStatus& queue : queues) {
    const auto parent = std::ranges::find(configured, queue.branch_of, &QueueStatus::name);
    if (!queue.branch_of.empty() && parent != configured.end()) add_branch(queue, *parent);
  }
  return configured;
}

void append_queues(Families& families, const Status& all) {
  Status status = all;
  status.queues = without_branches(all.queues);
  append_branches(families, all.queues);
  append_held_memory(families, status);
  of_each_queue(families, status, "sluice_jobs_running", "Jobs that hold a permit.",
                [](const QueueStatus& queue) { return queue.running; });
  of_each_queue(families, status, "sluice_jobs_pending", "Jobs that wait for admission.",
                [](const QueueStatus& queue) { return queue.pending; });
  of_each_queue(families, status, "sluice_pending_cost", "Total points that waiting jobs need.",
                [](const QueueStatus& queue) { return queue.pending_cost.value; });
  of_each_queue(families, status, "sluice_jobs_held",
                "Waiting jobs that no free capacity would start: frozen, after another job, paused "
                "by a rule or with their queue.",
                [](const QueueStatus& queue) { return queue.held; });
  of_each_queue(families, status, "sluice_held_cost", "Total points that held jobs need.",
                [](const QueueStatus& queue) { return queue.held_cost.value; });
  of_each_queue(
      families, status, "sluice_queue_head_cost",
      "Points that the first job in line needs; 0 while none waits.",
      [](const QueueStatus& queue) { return queue.limiting ? queue.limiting->cost.value : 0; });
  of_each_queue(families, status, "sluice_queue_head_wait_seconds",
                "Longest wait of a waiting job; 0 while none waits.",
                [&](const QueueStatus& queue) {
                  if (!queue.oldest_arrival) return 0.0;
                  return std::max(to_seconds(status.now - *queue.oldest_arrival), 0.0);
                });
  of_each_queue(families, status, "sluice_queue_paused",
                "1 while the operator has paused the queue, else 0.",
                [](const QueueStatus& queue) { return queue.paused ? 1 : 0; });

  Samples limited = gauges("sluice_queue_limited",
                           "1 for what keeps the first job of the queue from starting, else 0.");
  for (const QueueStatus& queue : status.queues) {
    for (std::size_t i = 0; i < kRefusalCodes; ++i) {
      const auto code = static_cast<RefusalCode>(i);
      const bool binds = queue.limiting && queue.limiting->code == code;
      limited.add({{"queue", queue.name}, {"by", to_string(code)}}, binds ? 1 : 0);
    }
  }
  families.push_back(std::move(limited).to_family());
}

void append_resources(Families& families, const Status& status) {
  Samples kinds = gauges("sluice_resource_info", "The kind of a resource manager; always 1.");
  Samples capacity =
      gauges("sluice_resource_capacity", "Total units or items of a resource manager.");
  for (const ResourceStatus& resource : status.resources) {
    kinds.add({{"resource", resource.key}, {"kind", to_string(resource.kind)}}, 1);
    if (resource.kind == ResourceOptions::Kind::highlander) continue;
    capacity.add({{"resource", resource.key}}, static_cast<double>(resource.total));
  }
  families.push_back(std::move(kinds).to_family());
  families.push_back(std::move(capacity).to_family());
  of_each_manager(families, status, "sluice_resource_used",
                  "Units or items of a resource manager that running jobs hold.",
                  [](const ResourceStatus& resource) { return resource.used; });
  of_each_manager(families, status, "sluice_resource_waiting_jobs",
                  "Waiting jobs that need some of a resource manager.",
                  [](const ResourceStatus& resource) { return resource.waiting; });
}

}  // namespace sluice
