// The cost of persisting jobs to an admission, and the time of a start with many persisted jobs.
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptors.h"
#include "base/host_identity.h"
#include "base/process_table.h"
#include "client/client.h"
#include "service/daemon/daemon.h"
#include "service/jobs/job_store.h"
#include "timing.h"

namespace {
using sluice::Client;
using sluice::Clock;
using sluice::microseconds_since;
using sluice::quantile;

constexpr int kRounds = 10000;
constexpr std::uint64_t kRunning = 10'000, kPending = 100'000;

sluice::StoredJob kept(std::uint64_t number) {
  sluice::StoredJob stored;
  stored.job.id = sluice::JobId{number};
  stored.job.request.id = "job-" + std::to_string(number);
  stored.job.request.key = "g++:t#_heavy.cpp:df08fd8e";
  stored.job.request.queue = "default";
  stored.job.request.priority = 0;
  stored.job.request.inventory = 1;
  stored.job.cost = sluice::Points{10};
  stored.job.arrived = Clock::now();
  stored.job.order = {number, static_cast<std::int64_t>(number), 0};
  stored.lease.heartbeat = std::chrono::hours(1);
  stored.lease.renewed = stored.job.arrived;
  return stored;
}

sluice::StoredJob kept_running(std::uint64_t number, const sluice::LeaseProcess& process) {
  sluice::StoredJob stored = kept(number);
  stored.job.admitted = stored.job.arrived;
  stored.lease.process = process;
  return stored;
}

/// Times single puts, as an admission makes them.
void measure_puts(const std::string& folder) {
  const auto store = sluice::open_job_store(folder, sluice::this_boot(), {});
  store->load();
  const sluice::LeaseProcess process{getpid(), 1};
  std::vector<double> puts, removes;
  for (std::uint64_t number = 1; number <= kRounds; ++number) {
    const sluice::StoredJob job = kept_running(number, process);
    auto start = Clock::now();
    store->put(job);
    puts.push_back(microseconds_since(start));
    start = Clock::now();
    store->remove(job.job.id, sluice::JobStore::End::well);
    removes.push_back(microseconds_since(start));
  }
  std::printf("one row, %d rounds%s\n", kRounds, store->failing() ? " (FAILING)" : "");
  std::printf("  put    p50 %6.1f us   p99 %6.1f us   most %6.1f us\n", quantile(puts, .5),
              quantile(puts, .99), quantile(puts, 1));
  std::printf("  remove p50 %6.1f us   p99 %6.1f us   most %6.1f us\n", quantile(removes, .5),
              quantile(removes, .99), quantile(removes, 1));
}

sluice::ServeOptions serving(const std::string& folder, const std::string& state) {
  sluice::ServeOptions options;
  options.socket = folder + "/sluice.sock";
  options.listen = "";
  sluice::Options& governing = options.config.governing;
  if (!state.empty()) governing.state_dir = state;
  // A busy host must not close the measured window.
  for (sluice::SensorSettings* sensor : std::initializer_list<sluice::SensorSettings*>{
           &governing.sensors.load, &governing.sensors.memory_pressure,
           &governing.sensors.io_pressure, &governing.sensors.disk, &governing.sensors.cgroup,
           &governing.sensors.memory, &governing.sensors.pids}) {
    sensor->presence = sluice::Presence::off;
  }
  return options;
}

/// Submits jobs that are admitted at once, over one kept connection; the named process is watched.
double submit_median(const std::string& folder, const std::string& state) {
  sluice::Daemon daemon(serving(folder, state), [](sluice::LogLevel, std::string_view) {});
  std::thread thread([&] { daemon.run(); });
  auto connected = Client::connect(daemon.socket());
  std::vector<double> times;
  for (int n = 0; n < kRounds && std::holds_alternative<Client>(connected); ++n) {
    Client& client = std::get<Client>(connected);
    const auto start = Clock::now();
    client.call("POST", "/v1/jobs?wait=30s", R"({"id":"bench","cost":5,"pid":"peer"})");
    if (n >= kRounds / 10) times.push_back(microseconds_since(start));
    client.call("DELETE", "/v1/jobs/bench");
  }
  daemon.stop();
  thread.join();
  return times.empty() ? -1 : quantile(times, .5);
}

void measure_start(const std::string& folder, const std::string& state) {
  const auto self = sluice::read_process(getpid());
  {
    const auto store = sluice::open_job_store(state, sluice::this_boot(), {});
    store->load();
    std::vector<sluice::StoredJob> jobs;
    for (std::uint64_t number = 1; number <= kRunning; ++number) {
      jobs.push_back(kept_running(number, {getpid(), self->started}));
    }
    for (std::uint64_t number = 1; number <= kPending; ++number) {
      jobs.push_back(kept(kRunning + number));
    }
    const auto start = Clock::now();
    store->replace(jobs);
    std::printf("all %zu jobs rewritten: %.0f ms\n", jobs.size(), microseconds_since(start) / 1000);
  }
  const auto start = Clock::now();
  sluice::Daemon daemon(serving(folder, state), [](sluice::LogLevel, std::string_view line) {
    if (line.starts_with("state:")) std::printf("  %s\n", std::string(line).c_str());
  });
  std::thread thread([&] { daemon.run(); });
  auto client = Client::connect(daemon.socket());
  auto& connection = std::get<Client>(client);
  const auto status = connection.call("GET", "/v1/jobs/job-110000?wait=0s");
  std::printf("start with %d running and %d pending jobs: first answer after %.0f ms (goal 2000)\n",
              static_cast<int>(kRunning), static_cast<int>(kPending),
              microseconds_since(start) / 1000);
  if (!std::holds_alternative<sluice::ClientReply>(status)) std::printf("  no answer\n");
  daemon.stop();
  thread.join();
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;
  measure_puts(folder + "/rows");
  const double plain = submit_median(folder, "");
  const double keeping = submit_median(folder, folder + "/kept");
  std::printf(
      "submit with a pid, admitted at once, p50: %.1f us from memory, %.1f us kept: %.1f us "
      "more (goal 30)\n",
      plain, keeping, keeping - plain);
  sluice::raise_descriptor_limit();
  measure_start(folder, folder + "/many");
  std::filesystem::remove_all(folder);
  return 0;
}
