// The cost of the record: nanoseconds to record an entry, which a daemon's thread pays, and bytes
// on disk for each job.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "record/recorder.h"

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
  return {
      JobSubmitted{job,
                   {"build-" + name},
                   {"g++:t#_heavy.cpp:df08fd8e"},
                   {"gate/" + std::to_string(number / 50)},
                   1000,
                   0,
                   Points{10},
                   {}},
      JobWaits{
          job, "window", {"window"}, Points{10}, Points{40}, Points{40}, {}, 0, 0, 0, number % 40},
      JobWaits{job,
               "memory",
               {"memory"},
               Points{10},
               Points{30},
               Points{40},
               {},
               static_cast<std::int64_t>(started.kept.value),
               static_cast<std::int64_t>(number * 104729 % 400) << 20,
               8LL << 30,
               1},
      started,
      JobFinished{job, "ok", "finish", "", true, 38s + std::chrono::microseconds(number * 31),
                  40s + std::chrono::microseconds(number * 37),
                  Bytes{(590ULL << 20) + number * 4096 % (50 << 20)}}};
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

}  // namespace

int main() {
  char name[] = "/tmp/sluice-record-bench-XXXXXX";
  const std::string folder = mkdtemp(name);
  std::printf(
      "20000 jobs of 5 entries, a block for each 10 jobs; the clock itself takes some 40 "
      "ns\n%-7s %9s %9s %9s %14s %13s %15s\n",
      "names", "ns median", "ns p99", "ns p99.9", "us to write", "bytes per job", "MiB of 20,000");
  measure("plain", folder + "/plain", "");
  measure("hashed", folder + "/hashed", folder + "/secret");
  std::filesystem::remove_all(folder);
}
