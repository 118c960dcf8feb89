// The cost of the record: nanoseconds to record an entry, which a daemon's thread pays, and bytes
// on disk for each job; and nanoseconds to record a call, which are paid under the governor's
// mutex.
//
//   bench_record
//   bench_record FOLDER JOBS    records so many jobs there, for `sluice replay`
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "costmodel/formula.h"
#include "governor/recorded_core.h"
#include "record/recorder.h"
#include "record_load.h"
#include "service/daemon/decision_record.h"
#include "sluice/governor.h"
#include "timing.h"

namespace {

using namespace sluice;
using namespace sluice::record;
using namespace std::chrono_literals;

std::vector<Entry> life_of(std::uint64_t number) {
  const JobId job{number};
  const std::string name = std::to_string(number);
  JobStarted started;
  started.job = job;
  started.cost = Points{10};
  started.usage = Points{30 + static_cast<std::int64_t>(number % 11)};
  started.size = Points{40};
  started.kept = Bytes{(700 + number * 7919 % 300) << 20};
  started.expected_memory = Bytes{(600 + number * 7919 % 300) << 20};
  started.expected_time = 40s;
  started.expected_millicores = 950;
  return {JobSubmitted{.job = job,
                       .id = {"build-" + name},
                       .key = {"g++:t#_heavy.cpp:df08fd8e"},
                       .queue = {"gate/" + std::to_string(number / 50)},
                       .user = 1000,
                       .priority = 0,
                       .cost = Points{10},
                       .parent = {}},
          JobWaits{.job = job,
                   .code = "window",
                   .binding = {"window"},
                   .cost = Points{10},
                   .usage = Points{40},
                   .size = Points{40},
                   .ahead = {},
                   .place = number % 40},
          JobWaits{.job = job,
                   .code = "memory",
                   .binding = {"memory"},
                   .cost = Points{10},
                   .usage = Points{30},
                   .size = Points{40},
                   .ahead = {},
                   .needs = static_cast<std::int64_t>(started.kept.value),
                   .free = static_cast<std::int64_t>(number * 104729 % 400) << 20,
                   .total = 8LL << 30,
                   .place = 1},
          started,
          JobFinished{.job = job,
                      .outcome = "ok",
                      .ended_by = "finish",
                      .refusal = "",
                      .measured = true,
                      .cpu = 38s + std::chrono::microseconds(number * 31),
                      .wall = 40s + std::chrono::microseconds(number * 37),
                      .peak = Bytes{(590ULL << 20) + number * 4096 % (50 << 20)}}};
}

void measure(const char* title, const std::string& folder, const std::string& secret) {
  constexpr std::uint64_t kJobs = 20000;
  Recorder recorder({folder, {}, secret, {"bench", "boot"}}, nullptr);
  std::vector<double> each;
  Clock::duration flushing{0};
  TimePoint at = Clock::now();
  for (std::uint64_t number = 1; number <= kJobs; ++number) {
    for (const Entry& entry : life_of(number)) {
      at += 100ms;
      const auto began = Clock::now();
      recorder.record(at, entry);
      each.push_back(std::chrono::duration<double, std::nano>(Clock::now() - began).count());
    }
    if (number % 10 != 0) continue;
    const auto began = Clock::now();
    recorder.flush({at, std::chrono::system_clock::now()});
    flushing += Clock::now() - began;
  }
  std::ranges::sort(each);
  const auto bytes = static_cast<double>(recorder.recording().bytes);
  std::printf("%-7s %9.0f %9.0f %9.0f %14.2f %13.1f %15.1f\n", title, each[each.size() / 2],
              each[each.size() * 99 / 100], each[each.size() * 999 / 1000],
              std::chrono::duration<double, std::micro>(flushing).count() /
                  static_cast<double>(each.size()),
              bytes / kJobs, bytes / (1 << 20));
}

using OnCall = std::function<void(TimePoint, std::string_view)>;

constexpr int kRounds = 50000;
/// Pauses after each: what comes between two writes has to fit into the ring.
constexpr int kRoundsAtOnce = 20;
constexpr std::size_t kMostTimes = 10 * kRounds;

/// Times to be taken without an allocation.
std::vector<double> no_times() {
  std::vector<double> times(kMostTimes);
  times.clear();
  return times;
}

auto timed(std::vector<double>& times, auto&& act) {
  const auto began = Clock::now();
  if constexpr (std::is_void_v<decltype(act())>) {
    act();
    times.push_back(microseconds_since(began) * 1000);
  } else {
    auto result = act();
    times.push_back(microseconds_since(began) * 1000);
    return result;
  }
}

void pause_after(int round) {
  if (round % kRoundsAtOnce == 0) std::this_thread::sleep_for(1ms);
}

/// The recorder of a daemon's calls, and what each copy into its ring took.
class CallRecord {
 public:
  explicit CallRecord(const std::string& folder) : record_({}, folder, nullptr) {
    std::filesystem::create_directories(folder);
    record_.start({});
  }
  OnCall on_call() {
    return [this, copy = record_.on_call()](TimePoint at, std::string_view call) {
      timed(copies, [&] { copy(at, call); });
    };
  }
  std::uint64_t lost() const { return record_.facts()->lost; }

  std::vector<double> copies = no_times();

 private:
  DecisionRecord record_;
};

void print(const std::string& title, std::vector<double> times) {
  if (times.empty()) return;
  std::printf("%-44s %9zu %9.0f %9.0f %9.0f %9.0f\n", title.c_str(), times.size(),
              quantile(times, .5), quantile(times, .99), quantile(times, .999), quantile(times, 1));
}

struct CoreTimes {
  std::vector<double> calls = no_times(), beginnings = no_times();
};

JobRequest job_of(int number) {
  JobRequest job;
  job.id = "build-" + std::to_string(number);
  job.key = "unit " + std::to_string(number % 40);
  job.cost = Points{100};
  return job;
}

GovernorOptions options_of(std::int64_t size) {
  GovernorOptions options;
  options.window.initial = options.window.minimum = options.window.maximum = Points{size};
  options.window.interval = 1s;
  return options;
}

/// One job runs and the others wait: each round, it ends, the next one starts, and another comes.
CoreTimes run_core(inputs::InputLog* log, int jobs) {
  CoreTimes times;
  RecordedCore core(log, options_of(100), formula_model({}), {}, Clock::now());
  core.observe({}, Clock::now());
  int number = 0;
  while (number < jobs) core.submit(job_of(++number), Clock::now());
  std::uint32_t slot = core.pass(Clock::now()).front().slot;
  for (int round = 1; round <= kRounds; ++round) {
    const JobRequest job = job_of(++number);
    timed(times.calls, [&] { return core.submit(job, Clock::now()); });
    timed(times.calls, [&] { core.finish(slot, Outcome::ok, Clock::now()); });
    slot = timed(times.calls, [&] { return core.pass(Clock::now()); }).front().slot;
    if (round % 1000 == 0) {
      timed(times.beginnings, [&] { core.start_over_if_due(Clock::now()); });
    }
    pause_after(round);
  }
  return times;
}

void measure_core(const std::string& folder, int jobs) {
  const std::string with = ", 1 runs, " + std::to_string(jobs - 1) + " wait";
  print("call, not recorded" + with, run_core(nullptr, jobs).calls);
  CallRecord record(folder);
  inputs::InputLog log(record.on_call());
  CoreTimes times = run_core(&log, jobs);
  print("call, recorded" + with, std::move(times.calls));
  print("  of it the copy", record.copies);
  print("snapshot, or none due", std::move(times.beginnings));
  if (record.lost() > 0) std::printf("  %llu calls lost\n", (unsigned long long)record.lost());
}

/// Several threads: with the time for which each waits for the mutex, and for a CPU.
std::vector<double> run_threads(int threads, OnCall on_call) {
  GovernorEvents events;
  events.on_call = std::move(on_call);
  Governor governor(options_of(10000), {}, formula_model({}), std::move(events));
  std::vector<std::vector<double>> times(static_cast<std::size_t>(threads), no_times());
  std::vector<std::jthread> running;
  for (auto& each : times) {
    running.emplace_back([&governor, &each, threads] {
      for (int round = 1; round <= kRounds / threads; ++round) {
        const JobRequest job = job_of(round);
        auto admission = timed(each, [&] { return governor.try_admit(job); });
        timed(each, [&] { std::get<Permit>(admission).release(); });
        if (round % (kRoundsAtOnce / threads) == 0) std::this_thread::sleep_for(1ms);
      }
    });
  }
  running.clear();
  std::vector<double> all;
  for (const auto& each : times) all.insert(all.end(), each.begin(), each.end());
  return all;
}

void measure_threads(const std::string& folder, int threads) {
  const std::string with = ", " + std::to_string(threads) + " threads";
  print("whole call, not recorded" + with, run_threads(threads, nullptr));
  CallRecord record(folder);
  print("whole call, recorded" + with, run_threads(threads, record.on_call()));
  print("  of it the copy", record.copies);
}

void measure_calls(const std::string& folder) {
  std::printf("\n%-44s %9s %9s %9s %9s %9s\n", "calls to the governor", "number", "ns median",
              "ns p99", "ns p99.9", "ns most");
  measure_core(folder + "/one", 1);
  measure_core(folder + "/many", 1000);
  measure_threads(folder + "/alone", 1);
  measure_threads(folder + "/threads", 4);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return record_load(argv[1], std::atoi(argv[2]));
  char name[] = "/tmp/sluice-record-bench-XXXXXX";
  const std::string folder = mkdtemp(name);
  std::printf(
      "20000 jobs of 5 entries, a block for each 10 jobs; the clock itself takes some 40 "
      "ns\n%-7s %9s %9s %9s %14s %13s %15s\n",
      "names", "ns median", "ns p99", "ns p99.9", "us to write", "bytes per job", "MiB of 20,000");
  measure("plain", folder + "/plain", "");
  measure("hashed", folder + "/hashed", folder + "/secret");
  measure_calls(folder);
  std::filesystem::remove_all(folder);
}
