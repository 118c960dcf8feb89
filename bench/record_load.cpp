#include "record_load.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <variant>
#include <vector>

#include "config/config.h"
#include "costmodel/history.h"
#include "service/daemon/decision_record.h"
#include "sluice/embed.h"
#include "sluice/governor.h"
#include "timing.h"

// The load of bench/exact_bench.py, without its kills and reloads, and without a daemon between
// the clients and the governor: so it is as fast as the record can be written.

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr int kClients = 4, kBurst = 12, kJobsPerSecond = 4000;

std::string config_text(const std::string& folder) {
  return R"(
window: {law: adaptive, initial: 15, minimum: 10, maximum: 20, interval: 200ms, dwell: 100ms}
sensors:
  {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
   disk: off, pids: off, level: {kind: file, path: )" +
         folder + R"(/level, limit: 100, every: 100ms}}
cost: {model: history}
memory: {prior: 1MiB}
contention: {mode: order, tick: 1s}
queues: {default: {}, night: {resources: [db], backfill: 10}}
resources: {db: {total: 5}, port: {kind: discrete, items: [a, b, c, d]}}
service: {listen: off, drain_on_stop: 1s, max_pending: 5000, record: {size: 1GiB}}
state_dir: )" +
         folder + "/state\n";
}

/// Submits bursts of jobs, changes some, and ends each as soon as it runs.
class LoadClient {
 public:
  LoadClient(Governor& governor, History& history, int number)
      : governor_(governor), history_(history), random_(static_cast<std::uint64_t>(number)) {}

  /// A burst every `pace`: what is recorded between two writes has to fit into the ring.
  void run(int jobs, Duration pace) {
    auto next = Clock::now();
    for (int first = 0; first < jobs; first += kBurst) {
      std::this_thread::sleep_until(next);
      next = std::max(next + pace, Clock::now());
      burst(std::min(kBurst, jobs - first));
    }
  }

 private:
  struct Started {
    std::uint64_t job;
    Admission admission;
  };

  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  bool in_percent(int percent) { return below(100) < percent; }

  void burst(int jobs) {
    std::vector<std::pair<JobRequest, Permit>> running;
    for (; jobs > 0; --jobs) {
      JobRequest job = request();
      auto result = governor_.admit_or_queue(
          job, [this](JobId id, Admission end) { started(id, std::move(end)); });
      if (const auto* refusal = std::get_if<Refusal>(&result)) {
        throw std::runtime_error(to_sentence(*refusal));
      }
      if (const auto* queued = std::get_if<Queued>(&result)) {
        waiting_.emplace(queued->id.value, std::move(job));
      } else {
        running.emplace_back(std::move(job), std::get<Permit>(std::move(result)));
      }
    }
    for (auto& [job, permit] : running) end(job, permit);
    for (const auto& [job, _] : waiting_) change(JobId{job});
    while (!waiting_.empty()) end_started();
  }

  JobRequest request() {
    JobRequest job;
    job.id = "job-" + std::to_string(random_() % 1'000'000);
    job.key = "unit " + std::to_string(below(40));
    job.user = "1000";
    job.priority = below(4);
    job.measured = in_percent(50);
    if (in_percent(30)) job.cost = Points{1 + below(9)};
    if (in_percent(20)) job.queue = "night";
    if (in_percent(10)) job.resources = {{"port", 1}};
    if (in_percent(20)) job.locks = {{"instance", {}, {"i" + std::to_string(below(9))}}};
    return job;
  }

  void change(JobId job) {
    const int draw = below(100);
    JobChange change;
    change.priority = below(10);
    if (draw < 5) governor_.set(job, change);
    if (draw >= 98) governor_.cancel(job);
  }
  void end(const JobRequest& job, Permit& permit) {
    static constexpr std::array kOutcomes{Outcome::ok, Outcome::ok, Outcome::ok, Outcome::failed,
                                          Outcome::oom};
    const Outcome outcome = kOutcomes.at(static_cast<std::size_t>(below(5)));
    JobUsage usage;
    usage.source = JobUsage::Source::reported;
    usage.wall = 500ms + 1ms * below(8500);
    usage.cpu = usage.wall * (5 + below(35)) / 100;
    usage.memory = Bytes{1 << 20};
    usage.peak_memory = Bytes{static_cast<std::uint64_t>(1 + below(63)) << 20};
    if (job.measured) permit.measured(usage);
    history_.learn(sample_of(job, usage, SeenBy::client, outcome, {}, std::time(nullptr)));
    permit.release(outcome);
  }

  void started(JobId job, Admission admission) {
    const std::lock_guard lock(mutex_);
    started_.push_back({job.value, std::move(admission)});
    wake_.notify_one();
  }
  void end_started() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !started_.empty(); });
    auto all = std::exchange(started_, {});
    lock.unlock();
    for (auto& [job, admission] : all) {
      const auto known = waiting_.extract(job);
      if (auto* permit = std::get_if<Permit>(&admission)) end(known.mapped(), *permit);
    }
  }

  Governor& governor_;
  History& history_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, JobRequest> waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Started> started_;
};

void write_level(const std::string& folder, int level) {
  std::ofstream(folder + "/level.new") << level << "\n";
  std::filesystem::rename(folder + "/level.new", folder + "/level");
}

void run_clients(Governor& governor, History& history, const std::string& folder, int jobs) {
  constexpr Duration kPace = Duration{1s} * kBurst * kClients / kJobsPerSecond;
  std::atomic<int> running{kClients};
  std::vector<std::jthread> clients;
  for (int number = 0; number < kClients; ++number) {
    clients.emplace_back([&, number] {
      LoadClient(governor, history, number).run(jobs / kClients, kPace);
      --running;
    });
  }
  for (std::mt19937 random; running > 0; std::this_thread::sleep_for(300ms)) {
    const auto draw = random() % 11;
    write_level(folder, draw == 0 ? 130 : draw == 1 ? 50 : 1);
  }
}

}  // namespace

int record_load(const std::string& path, int jobs) {
  std::filesystem::create_directories(path);
  const std::string folder = std::filesystem::canonical(path);
  write_level(folder, 1);
  const auto parsed = parse_config(config_text(folder), "load", 2);
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&parsed)) {
    for (const ConfigError& each : *errors) std::cerr << to_string(each) << "\n";
    return 2;
  }
  const Config& config = std::get<Config>(parsed);
  const std::string state = *config.governing.state_dir;
  std::filesystem::create_directories(state);
  DecisionRecord record(config.service.record, state,
                        [](LogLevel, std::string_view line) { std::cerr << line << "\n"; });
  record.start({});
  Assembly parts = assemble(config.governing, {});
  GovernorEvents events;
  events.on_call = record.on_call();
  const auto began = Clock::now();
  {
    Governor governor(std::move(parts.options), std::move(parts.sensors), parts.cost_model,
                      std::move(events));
    run_clients(governor, *parts.history, folder, jobs);
  }
  std::printf("%d jobs in %.0f s, %llu calls lost; now: sluice replay %s\n", jobs,
              milliseconds_since(began) / 1000,
              static_cast<unsigned long long>(record.facts()->lost), state.c_str());
  return 0;
}

}  // namespace sluice
