// The cost of the library for C over that for C++. Both take turns in one run, and their medians
// are compared. The goal: at most 1.1 times for an admission and its release.

#include <sluice.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sluice/embed.h"
#include "timing.h"

namespace {

constexpr int kRounds = 4001;
constexpr int kCallsPerRound = 500;

/// A window of 40 points, whatever else this host does.
constexpr const char* kConfig =
    "window: {law: rfc, initial: 40, minimum: 40, maximum: 40}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n"
    "cost: {model: formula}\n";

void check(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

double nanoseconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCallsPerRound; ++i) call();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / kCallsPerRound;
}

void compare(const char* what, const auto& cpp, const auto& c) {
  std::array<std::vector<double>, 2> took;
  for (int round = 0; round < kRounds; ++round) {
    took[0].push_back(nanoseconds_of(cpp));
    took[1].push_back(nanoseconds_of(c));
  }
  const double by_cpp = sluice::quantile(took[0], .5), by_c = sluice::quantile(took[1], .5);
  std::printf("%-44s C++ %7.1f ns   C %7.1f ns   ratio %.3f\n", what, by_cpp, by_c, by_c / by_cpp);
}

/// The same job and the same governor twice: in C++, and behind sluice.h.
struct World {
  explicit World(const std::string& file)
      : governor(sluice::govern_this_host(sluice::read_options(file))) {
    job.key = "compile:src/module_7/main.cpp";
    job.cost = sluice::Points{30};
    sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
    options.config_file = file.c_str();
    sluice_job_options described = SLUICE_JOB_OPTIONS_INIT;
    described.key = job.key.c_str();
    described.cost = job.cost->value;
    check(sluice_govern(&options, &c_governor, nullptr) == SLUICE_OK, "no governor for C");
    check(sluice_job_create(&described, &c_job, nullptr) == SLUICE_OK, "no job for C");
  }
  ~World() {
    sluice_job_destroy(c_job, nullptr);
    sluice_governor_destroy(c_governor, nullptr);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::unique_ptr<sluice::Governor> governor;
  sluice::JobRequest job;
  sluice_governor* c_governor = nullptr;
  sluice_job* c_job = nullptr;
};

void compare_admissions(World& world) {
  compare(
      "try_admit + release",
      [&] {
        sluice::Admission admission = world.governor->try_admit(world.job);
        std::get<sluice::Permit>(admission).release();
      },
      [&] {
        sluice_permit* permit = nullptr;
        const int code = sluice_try_admit(world.c_governor, world.c_job, &permit, nullptr);
        check(code == SLUICE_OK, "refused");
        sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
      });
}

void compare_refusals(World& world) {
  const sluice::Admission all = world.governor->try_admit(world.job);
  sluice_permit* c_all = nullptr;
  check(sluice_try_admit(world.c_governor, world.c_job, &c_all, nullptr) == SLUICE_OK, "refused");
  compare(
      "refusal",
      [&] {
        const sluice::Admission admission = world.governor->try_admit(world.job);
        check(std::holds_alternative<sluice::Refusal>(admission), "admitted");
      },
      [&] {
        sluice_permit* permit = nullptr;
        const int code = sluice_try_admit(world.c_governor, world.c_job, &permit, nullptr);
        check(code == SLUICE_REFUSED, "admitted");
      });
  sluice_error error = SLUICE_ERROR_INIT;
  compare(
      "refusal with its sentence",
      [&] {
        const sluice::Admission admission = world.governor->try_admit(world.job);
        check(!to_sentence(std::get<sluice::Refusal>(admission)).empty(), "no sentence");
      },
      [&] {
        sluice_permit* permit = nullptr;
        const int code = sluice_try_admit(world.c_governor, world.c_job, &permit, &error);
        check(code == SLUICE_REFUSED && error.text[0] != '\0', "no sentence");
      });
  sluice_permit_release(c_all, SLUICE_OUTCOME_OK, nullptr);
}

}  // namespace

int main() {
  std::string file = std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX";
  close(mkstemp(file.data()));
  std::ofstream(file) << kConfig;
  World world(file);
  unlink(file.c_str());
  compare_admissions(world);
  compare_refusals(world);
}
