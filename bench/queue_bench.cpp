#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "governor/core.h"
#include "timing.h"

// The cost of the predicting queue: eight kinds of jobs, each locking one of 10,000 instances and
// one of 20 nodes; and the worst case, in which every pending job names one hot lock. Prints a
// table; asserts nothing.

namespace sluice {
namespace {

constexpr int kInstances = 10000;
constexpr int kNodes = 20;
constexpr int kRounds = 2000;

enum class Mix { eight_kinds, one_hot_lock };

/// One mode per kind, which gives eight declarations of two names each.
JobRequest job_of(Mix mix, std::mt19937_64& random) {
  const auto kind = random() % 8;
  const std::string instance = "instance" + std::to_string(random() % kInstances);
  const std::string node =
      mix == Mix::one_hot_lock ? "node0" : "node" + std::to_string(random() % kNodes);
  LevelLocks on_instance, on_node;
  on_instance.level = "instance";
  on_node.level = "node";
  ((kind & 1) != 0 ? on_instance.exclusive : on_instance.shared).push_back(instance);
  ((kind & 2) != 0 ? on_node.exclusive : on_node.shared).push_back(node);
  JobRequest job;
  job.key = "kind" + std::to_string(kind);
  job.cost = Points{1};
  job.locks.emplace();
  job.locks->push_back(on_instance);
  job.locks->push_back(on_node);
  if ((kind & 4) != 0) {
    LevelLocks group;
    group.level = "node_group";
    group.unknown_shared = true;
    job.locks->push_back(group);
  }
  return job;
}

GovernorOptions options_for(ContentionMode mode, std::int64_t running) {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.minimum = options.window.initial = options.window.maximum = Points{running};
  options.max_pending = 20'000'000;
  options.queueing.contention.mode = mode;
  return options;
}

void measure(ContentionMode mode, Mix mix, std::size_t pending, std::size_t running) {
  std::mt19937_64 random(1);
  TimePoint now{};
  const auto cost = [](const JobRequest&) { return Points{1}; };
  Core core(options_for(mode, static_cast<std::int64_t>(running)), cost, {}, now);
  std::vector<std::uint32_t> slots;
  for (std::size_t at = 0; at < running; ++at) core.submit(job_of(mix, random), now);
  for (const Admitted& admitted : core.pass(now)) slots.push_back(admitted.slot);

  std::vector<double> submit, pick, finish, start;  // Microseconds.
  const std::size_t before = mallinfo2().uordblks;
  // A hundred thousand per minute: ages differ and some are saturated.
  const Duration apart = std::chrono::microseconds(600);
  for (std::size_t at = 0; at < pending; ++at) {
    now += apart;
    JobRequest job = job_of(mix, random);
    const auto began = Clock::now();
    core.submit(std::move(job), now);
    submit.push_back(microseconds_since(began));
  }
  const double bytes = static_cast<double>(mallinfo2().uordblks - before) /
                       static_cast<double>(std::max<std::size_t>(1, pending));
  for (int round = 0; round < kRounds && !slots.empty(); ++round) {
    now += std::chrono::milliseconds(10);
    const std::size_t which = random() % slots.size();
    auto began = Clock::now();
    core.finish(slots[which], Outcome::ok, now);
    finish.push_back(microseconds_since(began));
    began = Clock::now();
    core.front(now);
    pick.push_back(microseconds_since(began));
    began = Clock::now();
    const auto admitted = core.pass(now);
    start.push_back(microseconds_since(began));
    // Under `hold` a finished job may be replaced by none that fits, or by several.
    slots[which] = slots.back();
    slots.pop_back();
    for (const Admitted& each : admitted) slots.push_back(each.slot);
    core.submit(job_of(mix, random), now);
  }
  const char* name = mix == Mix::eight_kinds ? "8 kinds" : "hot lock";
  std::printf("%-6s %-9s %9zu %8zu %8.2f %8.2f %9.2f %9.1f %9.1f %9.1f %9.1f %6.0f\n",
              std::string(to_string(mode)).c_str(), name, pending, running, quantile(submit, 0.5),
              quantile(submit, 0.99), quantile(pick, 0.5), quantile(pick, 1), quantile(finish, 0.5),
              quantile(finish, 1), quantile(start, 0.5), bytes);
  std::fflush(stdout);
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  using sluice::ContentionMode;
  using sluice::Mix;
  const bool holds = argc > 1 && std::string(argv[1]) == "hold";
  const ContentionMode mode = holds ? ContentionMode::hold : ContentionMode::order;
  std::printf("%-6s %-9s %9s %8s %8s %8s %9s %9s %9s %9s %9s %6s\n", "mode", "mix", "pending",
              "running", "submit", "p99", "pick", "worst", "finish", "worst", "pass", "bytes");
  std::printf("%43s %8s %9s %9s %9s %9s %9s %6s\n", "us", "us", "us", "us", "us", "us", "us",
              "a job");
  for (const Mix mix : {Mix::eight_kinds, Mix::one_hot_lock}) {
    for (const std::size_t running : {20U, 1000U, 10000U}) {
      for (const std::size_t pending : {1000U, 10000U, 100000U, 1000000U}) {
        sluice::measure(mode, mix, pending, running);
      }
    }
  }
}
