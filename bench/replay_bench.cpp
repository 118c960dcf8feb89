// A replay of a million jobs from a file, with output to a file: time and memory.
//
//   bench_replay           in a temporary folder
//   bench_replay FOLDER    in this folder; keeps the files day.yaml and at-once.yaml
//
// day: eight kinds of jobs over 10,000 instances and 20 nodes, two names each, arriving over a
// virtual day; 200 run at once, and a burst every ten minutes leaves up to 1,000 pending;
// contention `order`. at-once: the same jobs, all submitted at t = 0, contention `off`.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

extern char** environ;

namespace {
namespace fs = std::filesystem;

constexpr std::size_t kJobs = 1'000'000;
constexpr std::int64_t kDay = 86'400'000;      // ms
constexpr std::int64_t kBurstEvery = 600'000;  // ms
constexpr std::int64_t kBurst = 700;           // jobs, within a second

/// Gives the same values on every machine, unlike the standard library's distributions.
class Dice {
 public:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::mt19937_64 engine_{20260201};
};

std::vector<std::int64_t> arrivals(Dice& dice) {
  std::vector<std::int64_t> times;
  for (std::int64_t burst = kBurstEvery / 2; burst < kDay; burst += kBurstEvery) {
    for (std::int64_t i = 0; i < kBurst; ++i) times.push_back(burst + dice.below(1000));
  }
  while (times.size() < kJobs) times.push_back(dice.below(kDay));
  std::sort(times.begin(), times.end());
  return times;
}

std::string locks_of(std::int64_t kind, Dice& dice) {
  const auto instance = [&] { return "i" + std::to_string(dice.below(10'000)); };
  const auto node = [&] { return "n" + std::to_string(dice.below(20)); };
  const auto level = [](const std::string& name, const std::string& mode, const std::string& what) {
    return "\"" + name + "\":\"" + mode + ":" + what + "\"";
  };
  switch (kind) {
    case 0:
      return level("instance", "exclusive", instance()) + "," + level("node", "shared", node());
    case 1:
      return level("instance", "exclusive", instance()) + "," + level("node", "exclusive", node());
    case 2:
      return level("instance", "shared", instance()) + "," + level("node", "shared", node());
    case 3:
      return level("instance", "exclusive", instance() + "," + instance());
    case 4:
      return level("node", "shared", node() + "," + node());
    case 5:
      return level("instance", "exclusive", instance()) + "," +
             level("node_resource", "exclusive", node());
    case 6:
      return level("instance", "shared", instance()) + "," + level("network", "shared", node());
    default:
      return level("instance", "exclusive", instance()) + "," +
             level("node_group", "shared", node());
  }
}

std::string seconds(std::int64_t milliseconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03llds",
                static_cast<long long>(milliseconds / 1000),
                static_cast<long long>(milliseconds % 1000));
  return text.data();
}

void write_scenario(const fs::path& folder, const std::string& name, const std::string& mode) {
  std::ofstream(folder / (name + ".yaml"))
      << "config:\n"
         "  window: {law: rfc, initial: 2000, minimum: 2000, maximum: 2000}\n"
         "  contention: {mode: "
      << mode << "}\nmachine: {cpus: 200}\njobs: {file: " << name << ".jsonl}\n";
}

void write_data(const fs::path& folder) {
  Dice dice;
  std::ofstream day(folder / "day.jsonl"), at_once(folder / "at-once.jsonl");
  std::size_t number = 0;
  for (const std::int64_t at : arrivals(dice)) {
    const std::int64_t kind = dice.below(8);
    const std::string rest = ",\"id\":\"job" + std::to_string(++number) + "\",\"key\":\"kind" +
                             std::to_string(kind) + "\",\"runs\":\"" +
                             seconds(5000 + dice.below(20'000)) + "\",\"locks\":{" +
                             locks_of(kind, dice) + "}}\n";
    day << "{\"at\":\"" << seconds(at) << "\"" << rest;
    at_once << "{\"at\":\"0s\"" << rest;
  }
  write_scenario(folder, "day", "order");
  write_scenario(folder, "at-once", "off");
}

int replay(const fs::path& folder, const std::string& name) {
  const std::string scenario = (folder / (name + ".yaml")).string();
  const std::string output = (folder / (name + ".out.jsonl")).string();
  std::string program = SLUICE_COMMAND, word = "replay", option = "-o";
  std::string from = scenario, to = output;
  std::array<char*, 6> arguments{program.data(), word.data(), from.data(),
                                 option.data(),  to.data(),   nullptr};
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    std::cerr << program << " cannot be started\n";
    return 1;
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%-8s %6.1f s  %5ld MiB  %6.1f MB of records  exit status %d\n", name.c_str(),
              took.count(), used.ru_maxrss / 1024, static_cast<double>(fs::file_size(output)) / 1e6,
              WEXITSTATUS(status));
  return WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') {
    std::cerr << "bench_replay [FOLDER]: there are no options\n";
    return 2;
  }
  const bool keep = argc > 1;
  const fs::path folder =
      keep ? fs::path(argv[1])
           : fs::temp_directory_path() / ("sluice-replay-bench-" + std::to_string(getpid()));
  fs::create_directories(folder);
  write_data(folder);
  std::printf("%zu jobs; goals: at most 20 s and 1024 MiB each\n", kJobs);
  const int day = replay(folder, "day");
  const int at_once = replay(folder, "at-once");
  if (!keep) fs::remove_all(folder);
  return day != 0 || at_once != 0 ? 1 : 0;
}
