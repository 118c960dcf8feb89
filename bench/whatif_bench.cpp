// `sluice whatif` over fifty configurations of a recorded day of 20,000 jobs: the time it takes.
//
//   bench_whatif           in a temporary folder
//   bench_whatif FOLDER    keeps the record there
//
// The day is made up: 200 kinds of jobs on four CPUs, in the order of arrival, four at once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "record/segment_writer.h"

namespace {

using namespace sluice;
using namespace sluice::record;
using namespace std::chrono_literals;

constexpr int kJobs = 20'000;
constexpr std::size_t kAtOnce = 4;
constexpr int kKinds = 200;

struct Run {
  Duration at{0}, start{0}, runs{0};
  int kind = 0;
};

/// Half of the jobs come evenly over the day, half in bursts of fifty.
std::vector<Run> runs_of_a_day() {
  std::mt19937_64 dice(20261126);
  const auto below = [&](int bound) {
    return static_cast<int>(dice() % static_cast<unsigned>(bound));
  };
  std::vector<Run> runs;
  while (runs.size() < kJobs) {
    const Duration at = std::chrono::milliseconds(below(86'400'000));
    const int jobs = runs.size() % 2 == 0 ? 1 : 50;
    for (int job = 0; job < jobs && runs.size() < kJobs; ++job) {
      Run& run = runs.emplace_back();
      run.at = at + std::chrono::milliseconds(below(2000));
      run.kind = below(kKinds);
      run.runs = std::chrono::milliseconds(500 + run.kind * 100 + below(2000));
    }
  }
  std::ranges::sort(runs, {}, &Run::at);
  std::priority_queue<Duration, std::vector<Duration>, std::greater<>> ends;
  for (Run& run : runs) {
    run.start = run.at;
    if (ends.size() == kAtOnce) {
      run.start = std::max(run.at, ends.top());
      ends.pop();
    }
    ends.push(run.start + run.runs);
  }
  return runs;
}

std::vector<Timed> entries_of(const std::vector<Run>& runs) {
  std::vector<Timed> entries{{TimePoint(0s), Configured{4000, Bytes{16ULL << 30}, {"{}"}}}};
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const Run& run = runs[index];
    const JobId job{index + 1};
    const Bytes peak{(100ULL + static_cast<unsigned>(run.kind) * 4) << 20};
    entries.push_back({TimePoint(run.at), JobSubmitted{.job = job,
                                                       .id = {"build-" + std::to_string(job.value)},
                                                       .key = {"kind-" + std::to_string(run.kind)},
                                                       .queue = {"default"},
                                                       .user = 1000,
                                                       .priority = 0,
                                                       .cost = Points{10},
                                                       .parent = {}}});
    JobStarted started;
    started.job = job;
    started.expected_memory = peak;
    entries.push_back({TimePoint(run.start), started});
    entries.push_back({TimePoint(run.start + run.runs), JobFinished{.job = job,
                                                                    .outcome = "ok",
                                                                    .ended_by = "finish",
                                                                    .refusal = "",
                                                                    .measured = true,
                                                                    .cpu = run.runs * 9 / 10,
                                                                    .wall = run.runs,
                                                                    .peak = peak}});
  }
  std::ranges::stable_sort(entries, {}, &Timed::at);
  return entries;
}

void write_record(const std::string& path) {
  auto folder = RecordFolder::open_to_write(path);
  SegmentWriter writer(std::get<RecordFolder>(std::move(folder)), {}, {"bench", "boot"});
  const std::vector<Timed> all = entries_of(runs_of_a_day());
  for (std::size_t at = 0; at < all.size(); at += 1000) {
    const std::size_t end = std::min(at + 1000, all.size());
    const TimePoint now = all[end - 1].at;
    writer.append({all.begin() + static_cast<std::ptrdiff_t>(at),
                   all.begin() + static_cast<std::ptrdiff_t>(end)},
                  {now, WallTime(1767225600s + now.time_since_epoch())});
  }
}

}  // namespace

int main(int count, char** words) {
  char made[] = "/tmp/sluice-whatif-XXXXXX";
  const std::string folder = count > 1 ? words[1] : mkdtemp(made);
  write_record(folder + "/record");
  const std::string command =
      std::string(SLUICE_COMMAND) + " whatif " + folder +
      " --set window.law=knee,adaptive --cpus 2,3,4,6,8 --memory 8GiB,12GiB,16GiB,24GiB,32GiB";
  std::printf("%s\n", command.c_str());
  std::fflush(stdout);
  const auto began = std::chrono::steady_clock::now();
  const int status = std::system(command.c_str());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.1f s for 50 configurations of %d jobs\n", took.count(), kJobs);
  if (count <= 1) std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}
