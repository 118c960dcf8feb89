#include "knee_world.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "base/seconds.h"

namespace sluice::model {
namespace {

/// A history keeps 10,000 keys, and searches all of them for each one more.
constexpr int kSources = 5000;

/// Reversals of the size, and the steepest growth within a second.
void judge(const std::vector<WindowChange>& changes, Course& course) {
  int last = 0;
  course.reversals = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const WindowChange& change = changes[i];
    const int direction = change.to > change.from ? 1 : -1;
    if (direction == -last) ++course.reversals;
    last = direction;
    auto least = change.from;
    for (std::size_t j = i; j-- > 0 && change.at - changes[j].at < std::chrono::seconds(1);) {
      least = std::min(least, changes[j].from);
    }
    const auto grown = static_cast<double>(change.to.value) / static_cast<double>(least.value);
    course.most_growth = std::max(course.most_growth, grown);
  }
  course.changes = changes;
}

}  // namespace

std::uint64_t Numbers::next() {
  state_ += 0x9e3779b97f4a7c15ULL;  // splitmix64
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

double Numbers::between(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::size_t Numbers::below(std::size_t count) { return next() % count; }

std::vector<Work> compilers(int count) {
  Numbers numbers(1);
  std::vector<Work> works;
  for (int i = 0; i < count; ++i) {
    works.push_back({"cc " + std::to_string(i % kSources), "cc", {{numbers.between(0.5, 5), 1}}});
  }
  return works;
}

std::vector<Phase> sleeping(double seconds) { return {{0.05, 0.02}, {seconds, 0}}; }

std::vector<Work> alike(int count, const std::string& program, std::vector<Phase> phases) {
  std::vector<Work> works;
  for (int i = 0; i < count; ++i) {
    works.push_back({program + " " + std::to_string(i), program, phases});
  }
  return works;
}

std::vector<Work> sleepers(int count) {
  Numbers numbers(2);
  std::vector<Work> works;
  for (int i = 0; i < count; ++i) {
    works.push_back({"sleep " + std::to_string(i), "sleep", sleeping(numbers.between(0.5, 3))});
  }
  return works;
}

std::vector<Work> shuffled(std::vector<Work> works, std::uint64_t seed) {
  Numbers numbers(seed);
  for (std::size_t i = works.size(); i > 1; --i) std::swap(works[i - 1], works[numbers.below(i)]);
  return works;
}

std::vector<Work> joined(std::vector<Work> first, const std::vector<Work>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

World::World(HostOptions host, ExecutorOptions executor)
    : host_(std::make_unique<Host>(std::move(host))),
      executor_(std::make_unique<Executor>(*host_, std::move(executor))) {}

void World::submit(const std::vector<Work>& works) {
  for (const Work& work : works) executor_->submit(work);
  executor_->admit();
}

void World::step() {
  host_->advance();
  executor_->follow(host_->take_ended());
  const double runnable = host_->runnable();
  runnable_sum_ += runnable;
  course_.most_running = std::max(course_.most_running, host_->running());
  course_.most_runnable = std::max(course_.most_runnable, runnable);
}

Course World::run(double until) {
  while (executor_->running() + executor_->pending() > 0 &&
         to_seconds(host_->now().time_since_epoch()) < until) {
    step();
  }
  return course();
}

void World::run_to(double second) {
  while (to_seconds(host_->now().time_since_epoch()) < second) step();
}

const Course& World::course() {
  course_.seconds = to_seconds(host_->now().time_since_epoch());
  course_.left = executor_->running() + executor_->pending();
  course_.runnable_mean = runnable_sum_ * 0.05 / course_.seconds;
  judge(executor_->changes(), course_);
  return course_;
}

double fixed(HostOptions options, const std::vector<Work>& works, std::size_t count) {
  Host host(std::move(options));
  auto next = works.begin();
  while (next != works.end() || host.running() > 0) {
    while (next != works.end() && host.running() < count) host.start((next++)->phases);
    host.advance();
    host.take_ended();
  }
  return to_seconds(host.now().time_since_epoch());
}

double best_fixed(const HostOptions& host, const std::vector<Work>& works,
                  const std::vector<std::size_t>& counts) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t count : counts) best = std::min(best, fixed(host, works, count));
  return best;
}

}  // namespace sluice::model
