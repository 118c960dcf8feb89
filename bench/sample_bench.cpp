// The cost of one sample: what the machine and twenty running jobs of two processes use.
//
//   build/bench/bench/bench_sample [machine|groups|processes|leases [SAMPLES]]
//
// `machine` reads the counters of CPUs and disks alone; the others also read the jobs, in cgroups
// of their own, by their processes, or as the daemon reads the processes of its clients. CPU time,
// since the time that passes is the machine's matter; `strace -c -f` on one of them counts its
// calls.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "base/process_table.h"
#include "process/runner.h"
#include "sensors/host.h"
#include "sensors/use_meter.h"
#include "service/jobs/lease_trees.h"
#include "timing.h"

namespace {
using namespace sluice;

constexpr int kJobs = 20;

/// One walk of /proc serves all measurements of the next 20 ms, which are one sample.
constexpr int kBetweenMilliseconds = 25;

void print(const char* what, int samples, const std::function<void()>& sample) {
  for (int i = 0; i < 3; ++i) sample();
  double used = 0;
  for (int i = 0; i < samples; ++i) {
    poll(nullptr, 0, kBetweenMilliseconds);
    const double began = cpu_microseconds();
    sample();
    used += cpu_microseconds() - began;
  }
  std::printf("%-10s %7.0f us of CPU for a sample\n", what, used / samples);
  std::fflush(stdout);
}

std::vector<pid_t> start_jobs(Runner& runner) {
  Command command;
  command.argv = {"/bin/sh", "-c", "sleep 1000 & wait"};
  std::vector<pid_t> jobs;
  for (int i = 0; i < kJobs; ++i) {
    const auto started = runner.start(command);
    if (const pid_t* job = std::get_if<pid_t>(&started)) jobs.push_back(*job);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return jobs;
}

void held(const char* what, Runner::Groups groups, const UseMeter& meter, int samples) {
  Runner runner(groups);
  std::printf("# %s\n", runner.isolation_description().c_str());
  const std::vector<pid_t> jobs = start_jobs(runner);
  print(what, samples, [&] {
    meter(Clock::now());
    for (const pid_t job : jobs) runner.measure(job);
  });
}

void leased(const UseMeter& meter, int samples) {
  Runner runner(Runner::Groups::off);
  const std::vector<pid_t> jobs = start_jobs(runner);
  LeaseTrees trees({});
  std::uint64_t number = 0;
  TimePoint now = Clock::now();
  for (const pid_t job : jobs) {
    trees.begin(JobId{++number}, job, now);
    trees.admitted(JobId{number}, now);
  }
  print("leases", samples, [&] {
    now += std::chrono::milliseconds(250);
    meter(now);
    for (std::uint64_t job = 1; job <= number; ++job) trees.cpu(JobId{job}, now);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const char* const only = argc > 1 ? argv[1] : "";
  const int samples = argc > 2 ? std::max(1, std::atoi(argv[2])) : 200;
  const auto wanted = [only](const char* what) { return !*only || !std::strcmp(only, what); };
  std::printf("# %zu processes on this host\n", read_processes().size());
  const UseMeter meter = use_meter({}, read_host_facts({}));
  if (wanted("machine")) print("machine", samples, [&] { meter(Clock::now()); });
  if (wanted("groups")) held("groups", Runner::Groups::automatic, meter, samples);
  if (wanted("processes")) held("processes", Runner::Groups::off, meter, samples);
  if (wanted("leases")) leased(meter, samples);
}
