// Many executors on one queue, while everything that can die does.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "gearman_world.h"

namespace sluice::gearman {
namespace {
using namespace sluice::testing;

constexpr int kJobs = 500;
constexpr int kWindow = 40;

/// One trace of a job: that it began, or that it had its effect.
struct Trace {
  std::string what, job, executor;
};

class Cluster {
 public:
  Cluster() { write_file(traces_file(), ""); }

  /// Mixed jobs of 5, 10 and 15 points, submitted by the `gearman` command in the background.
  int submit() {
    std::string script =
        "for i in $(seq 1 " + std::to_string(kJobs) +
        "); do echo \"{\\\"key\\\": \\\"k$((i % 3))\\\", \\\"inventory\\\": $((i % "
        "3))}\" | gearman -b -h 127.0.0.1 -p " +
        server.port() + " -f work -u job-$i || exit 1; done";
    CommandRunner runner({"/bin/sh", "-c", script}, folder_.path("."));
    return runner.wait();
  }

  void add(const std::string& name) {
    const std::string trace = " $SLUICE_GEARMAN_UNIQUE " + name + " >> " + traces_file();
    executors[name] = std::make_unique<GearmanExecutor>(
        GearmanExecutor::worker(server, "echo began" + trace + "; sleep 0.2; echo effect" + trace),
        kWindow);
  }

  std::vector<Trace> traces() const {
    std::vector<Trace> traces;
    std::ifstream file(traces_file());
    for (Trace each; file >> each.what >> each.job >> each.executor;) traces.push_back(each);
    return traces;
  }
  std::map<std::string, std::vector<std::string>> effects() const {
    std::map<std::string, std::vector<std::string>> effects;
    for (const Trace& each : traces()) {
      if (each.what == "effect") effects[each.job].push_back(each.executor);
    }
    return effects;
  }

  /// Samples every window and keeps the maximum usage of each.
  void sample() {
    for (const auto& [name, executor] : executors) {
      most_used[name] = std::max(most_used[name], executor->usage());
    }
  }
  bool wait_for_effects(std::size_t count) {
    return eventually([&] {
      sample();
      return effects().size() >= count;
    });
  }

  Gearmand server;
  std::map<std::string, std::unique_ptr<GearmanExecutor>> executors;
  std::map<std::string, std::int64_t> most_used;

 private:
  std::string traces_file() const { return folder_.path("traces"); }
  TemporaryFolder folder_;
};

/// The number of log lines of an executor about jobs it did not complete.
int told_of(const GearmanExecutor& executor, const std::string& what) {
  std::istringstream lines(executor.log());
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(what) != line.npos;
  return count;
}

void print(const Cluster& cluster) {
  std::map<std::string, int> began, ended;
  for (const Trace& each : cluster.traces()) {
    ++(each.what == "began" ? began : ended)[each.executor];
  }
  std::printf("executor   began  effects  most used of %d points  ended for a lost server\n",
              kWindow);
  for (const auto& [name, executor] : cluster.executors) {
    std::printf("%-9s %6d %8d %23lld %24d\n", name.c_str(), began[name], ended[name],
                static_cast<long long>(cluster.most_used.at(name)),
                told_of(*executor, "ended, because its server"));
  }
}

TEST(GearmanDistributed, LosesNoJobWhateverDies) {
  const std::string missing = Gearmand::missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  Cluster cluster;
  ASSERT_EQ(cluster.submit(), 0) << cluster.server.log();
  for (const char* name : {"killed", "drained", "steady"}) cluster.add(name);
  ASSERT_TRUE(cluster.wait_for_effects(60));
  cluster.executors["killed"]->kill();
  ASSERT_TRUE(cluster.wait_for_effects(120));
  cluster.executors["drained"]->drain();
  ASSERT_TRUE(cluster.wait_for_effects(180));
  cluster.server.stop();
  cluster.server.start();
  cluster.add("joined");
  ASSERT_TRUE(cluster.wait_for_effects(kJobs)) << cluster.executors["steady"]->log();
  EXPECT_TRUE(eventually([&] { return cluster.server.counts("work").total == 0; }));
  print(cluster);

  int untold = 0;
  for (const auto& [name, executor] : cluster.executors) {
    EXPECT_LE(cluster.most_used[name], kWindow) << name;
    untold += told_of(*executor, "its result could not be sent");
    untold += told_of(*executor, "ended, because its server");
  }
  int twice = 0, twice_for_the_killed = 0;
  for (const auto& [job, where] : cluster.effects()) {
    if (where.size() == 1) continue;
    ++twice;
    twice_for_the_killed += where.front() == "killed";
  }
  std::printf("%d jobs, %zu with an effect, %d with two, of these %d of the killed executor\n",
              kJobs, cluster.effects().size(), twice, twice_for_the_killed);
  // A job that ends at the moment its server goes cannot report its end.
  EXPECT_LE(twice - twice_for_the_killed, untold);
}

}  // namespace
}  // namespace sluice::gearman
