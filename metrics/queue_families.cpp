#include "metrics/queue_families.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

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
  Family& branches = families.gauges(
      "sluice_queue_branches", "Branches of queues that have jobs, such as one for each build.");
  branches.add({}, count_branches(queues));
  Family& jobs =
      families.gauges("sluice_queue_branch_jobs",
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
      jobs.add({{"queue", queue.name}, {"state", state}}, count);
    };
    add("running", running);
    add("pending", pending);
    add("ended", ended);
  }
}

void append_held_memory(Families& families, const std::vector<QueueStatus>& queues) {
  Family& held =
      families.gauges("sluice_memory_held_bytes",
                      "Memory held by running jobs: measured by the daemon, else reported by the "
                      "holder and plausible, else declared.");
  Family& unverified = families.gauges("sluice_jobs_unverified",
                                       "Running jobs whose memory only their holder reports.");
  for (const QueueStatus& queue : queues) {
    const auto add = [&](const char* source, Bytes bytes) {
      held.add({{"queue", queue.name}, {"source", source}}, bytes);
    };
    add("measured", queue.memory.measured);
    add("reported", queue.memory.reported);
    add("declared", queue.memory.declared);
    unverified.add({{"queue", queue.name}}, queue.memory.unverified);
  }
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

void append_queues(Families& families, const Status& status) {
  const std::vector<QueueStatus> queues = without_branches(status.queues);
  append_branches(families, status.queues);
  if (status.memory) append_held_memory(families, queues);
  const auto of_each = [&](std::string name, std::string help, auto value_of) {
    Family& family = families.gauges(std::move(name), std::move(help));
    for (const QueueStatus& queue : queues) {
      family.add({{"queue", queue.name}}, std::invoke(value_of, queue));
    }
  };
  of_each("sluice_jobs_running", "Jobs that hold a permit.", &QueueStatus::running);
  of_each("sluice_jobs_pending", "Jobs that wait for admission.", &QueueStatus::pending);
  of_each("sluice_pending_cost", "Total points that waiting jobs need.",
          &QueueStatus::pending_cost);
  of_each("sluice_jobs_held",
          "Waiting jobs that no free capacity would start: frozen, after another job, paused "
          "by a rule or with their queue.",
          &QueueStatus::held);
  of_each("sluice_held_cost", "Total points that held jobs need.", &QueueStatus::held_cost);
  of_each(
      "sluice_queue_head_cost", "Points that the first job in line needs; 0 while none waits.",
      [](const QueueStatus& queue) { return queue.limiting ? queue.limiting->cost : Points{}; });
  of_each("sluice_queue_head_wait_seconds", "Longest wait of a waiting job; 0 while none waits.",
          [&](const QueueStatus& queue) {
            const TimePoint arrival = queue.oldest_arrival.value_or(status.now);
            return std::max(to_seconds(status.now - arrival), 0.0);
          });
  of_each("sluice_queue_paused", "1 while the operator has paused the queue, else 0.",
          &QueueStatus::paused);

  Family& limited = families.gauges(
      "sluice_queue_limited", "1 for what keeps the first job of the queue from starting, else 0.");
  for (const QueueStatus& queue : queues) {
    for_each_limit(queue.limiting, [&](std::string_view code, bool binds) {
      limited.add({{"queue", queue.name}, {"by", code}}, binds);
    });
  }
}

void append_resources(Families& families, const Status& status) {
  Family& kinds =
      families.gauges("sluice_resource_info", "The kind of a resource manager; always 1.");
  Family& capacity =
      families.gauges("sluice_resource_capacity", "Total units or items of a resource manager.");
  Family& used = families.gauges("sluice_resource_used",
                                 "Units or items of a resource manager that running jobs hold.");
  Family& waiting = families.gauges("sluice_resource_waiting_jobs",
                                    "Waiting jobs that need some of a resource manager.");
  for (const ResourceStatus& resource : status.resources) {
    const Labels labels{{"resource", resource.key}};
    kinds.add({{"resource", resource.key}, {"kind", to_string(resource.kind)}}, 1);
    used.add(labels, resource.used);
    waiting.add(labels, resource.waiting);
    if (resource.kind == ResourceOptions::Kind::highlander) continue;
    capacity.add(labels, resource.total);
  }
}

}  // namespace sluice
