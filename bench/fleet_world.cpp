#include "fleet_world.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace sluice::fleet {
namespace {

constexpr int kSlotPoints = 10;  ///< The cost of a typical job: a slot.
constexpr int kFirstWindow = 40;
constexpr int kGrowth = 10;  ///< Points per 15 s.
constexpr int kLargestCost = 20;
constexpr double kSlowPart = 0.5;  ///< Part of the previous work.

/// Job arrivals per second at a time of the day.
double rate_at(std::int32_t second) {
  const double hour = second / 3600.0;
  const double day = std::max(0.0, std::sin((hour - 6) / 14 * 3.14159265));
  double rate = 4 + (hour > 6 && hour < 20 ? 46 * day : 0);
  // The nightly run, and three bursts in which everything merges at once.
  if (second >= 2 * 3600 && second < 2 * 3600 + 600) rate += 60;
  for (const std::int32_t burst : {9 * 3600, 14 * 3600 + 1800, 17 * 3600}) {
    if (second >= burst && second < burst + 300) rate += 80;
  }
  return rate;
}

}  // namespace

std::vector<Job> day_of_jobs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> length(std::log(420), 1.0);
  std::vector<Job> jobs;
  for (std::int32_t second = 0; second < kDay; ++second) {
    const int count = std::poisson_distribution<int>(rate_at(second))(random);
    for (int i = 0; i < count; ++i) {
      const double seconds = std::clamp(length(random), 60.0, 4 * 3600.0);
      const auto cost = static_cast<std::int32_t>(5 * (1 + random() % 4));
      jobs.push_back({second, static_cast<std::int32_t>(seconds), cost});
    }
  }
  return jobs;
}

World::World(const std::vector<Job>& jobs, int executors, std::uint64_t seed)
    : jobs_(jobs), random_(seed), ends_(kDay + 6 * 3600), started_(jobs.size()) {
  order(executors);
  for (Machine& machine : machines_) machine.ready = 0;
}

bool World::slow() const { return now_ >= kSlowFrom && now_ < kSlowUntil; }

void World::order(int count) {
  for (int i = 0; i < count; ++i) {
    if (free_.empty()) {
      machines_.emplace_back();
      free_.push_back(static_cast<int>(machines_.size()) - 1);
    }
    Machine& machine = machines_[static_cast<std::size_t>(free_.back())];
    free_.pop_back();
    machine.state = Machine::State::booting;
    machine.ordered = now_;
    machine.ready = now_ + 90 + static_cast<std::int32_t>(random_() % 61);
    machine.healthy = 80 + static_cast<std::int32_t>(random_() % 41);
    machine.window = machine.usage = 0;
    machine.place = -1;
    ++there_;
  }
  outcome_.most = std::max(outcome_.most, there_);
}

void World::remove(int number) {
  Machine& machine = machines_[static_cast<std::size_t>(number)];
  const double up = now_ - machine.ordered;
  outcome_.executor_hours += up / 3600;
  outcome_.hours_paid += std::max(1.0, std::ceil(up / 3600));
  machine.state = Machine::State::none;
  ++machine.generation;
  settle(number);
  free_.push_back(number);
  --there_;
}

void World::end(const std::vector<int>& executors) {
  for (const int number : executors) {
    Machine& machine = machines_[static_cast<std::size_t>(number)];
    for (const std::uint32_t job : machine.running) {
      queue_.push_back(job);
      pending_ += jobs_[job].cost;
      ++outcome_.lost;
      --running_;
    }
    usage_ -= machine.usage;
    machine.usage = 0;
    machine.running.clear();
    remove(number);
  }
}

void World::drain(const std::vector<int>& executors) {
  for (const int number : executors) {
    Machine& machine = machines_[static_cast<std::size_t>(number)];
    machine.state = Machine::State::draining;
    settle(number);
    if (machine.running.empty()) remove(number);
  }
}

/// Adds a machine to the list of those with room, or removes it.
void World::settle(int number) {
  Machine& machine = machines_[static_cast<std::size_t>(number)];
  const bool room =
      machine.state == Machine::State::runs && machine.window - machine.usage >= kLargestCost;
  if (room == (machine.place >= 0)) return;
  if (room) {
    machine.place = static_cast<std::int32_t>(open_.size());
    open_.push_back(number);
    return;
  }
  const int last = open_.back();
  machines_[static_cast<std::size_t>(last)].place = machine.place;
  open_[static_cast<std::size_t>(machine.place)] = last;
  open_.pop_back();
  machine.place = -1;
}

void World::move_windows() {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Machine& machine = machines_[i];
    if (machine.state == Machine::State::none) continue;
    if (machine.state == Machine::State::booting) {
      if (now_ < machine.ready) continue;
      machine.state = Machine::State::runs;
      machine.window = kFirstWindow;
    }
    const double part = slow() ? kSlowPart * before_slow_ / there_ : 1;
    const auto aim = static_cast<std::int32_t>(machine.healthy * part);
    // A cut takes a quarter every 15 s until the window reaches its target.
    machine.window = machine.window > aim ? std::max(aim, machine.window * 3 / 4)
                                          : std::min(aim, machine.window + kGrowth);
    settle(static_cast<int>(i));
  }
}

void World::finish_jobs() {
  const double rate =
      slow() ? std::min(1.0, kSlowPart * before_running_ / std::max(1.0, running_)) : 1;
  const auto from = static_cast<std::size_t>(work_);
  work_ += rate;
  const auto until = static_cast<std::size_t>(work_);
  for (std::size_t tick = from; tick < until; ++tick) {
    for (const End& end : ends_[tick]) {
      Machine& machine = machines_[static_cast<std::size_t>(end.machine)];
      if (machine.generation != end.generation) continue;
      const auto place = std::find(machine.running.begin(), machine.running.end(), end.job);
      *place = machine.running.back();
      machine.running.pop_back();
      machine.usage -= jobs_[end.job].cost;
      usage_ -= jobs_[end.job].cost;
      --running_;
      settle(end.machine);
      if (machine.state == Machine::State::draining && machine.running.empty()) remove(end.machine);
    }
    ends_[tick] = {};
  }
}

void World::arrive() {
  while (next_ < jobs_.size() && jobs_[next_].at <= now_) {
    pending_ += jobs_[next_].cost;
    queue_.push_back(static_cast<std::uint32_t>(next_++));
  }
}

void World::start(std::uint32_t job, int number) {
  Machine& machine = machines_[static_cast<std::size_t>(number)];
  machine.running.push_back(job);
  machine.usage += jobs_[job].cost;
  usage_ += jobs_[job].cost;
  pending_ -= jobs_[job].cost;
  ++running_;
  const auto end = static_cast<std::size_t>(work_) + static_cast<std::size_t>(jobs_[job].length);
  if (end < ends_.size()) ends_[end].push_back({job, number, machine.generation});
  if (!started_[job]) outcome_.waits.push_back(now_ - jobs_[job].at);
  started_[job] = true;
  settle(number);
}

void World::start_jobs() {
  while (head_ < queue_.size() && !open_.empty()) {
    const std::uint32_t job = queue_[head_++];
    start(job, open_[random_() % open_.size()]);
  }
  if (head_ < queue_.size() / 2 || head_ < 10'000) return;
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

void World::step() {
  constexpr std::int32_t kRound = 15;
  if (now_ == kSlowFrom) {
    before_slow_ = there_;
    before_running_ = running_;
  }
  if (now_ % kRound == 0) move_windows();
  finish_jobs();
  arrive();
  start_jobs();
  if (now_ == kSlowUntil) outcome_.slow_hour = there_ - before_slow_;
  ++now_;
}

const Observation& World::observe() {
  seen_.executors.resize(static_cast<std::size_t>(there_));
  std::size_t place = 0;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const Machine& machine = machines_[i];
    if (machine.state == Machine::State::none) continue;
    Executor& executor = seen_.executors[place++];
    std::array<char, 8> id{};
    std::snprintf(id.data(), id.size(), "e%05d", static_cast<int>(i));
    executor.id = id.data();
    executor.slots = machine.window / kSlotPoints;
    executor.used = static_cast<int>(machine.running.size());
    executor.up = std::chrono::seconds(now_ - machine.ordered);
    executor.booting = machine.state == Machine::State::booting;
    executor.draining = machine.state == Machine::State::draining;
    executor.window = Points{machine.window};
    executor.usage = Points{machine.usage};
  }
  seen_.queued.resize(queue_.size() - head_);
  for (std::size_t i = 0; i < seen_.queued.size(); ++i) {
    const Job& job = jobs_[queue_[head_ + i]];
    seen_.queued[i] = {1, std::chrono::seconds(now_ - job.at), false, Points{job.cost}};
  }
  return seen_;
}

int World::number_of(const std::string& id) {
  int number = 0;
  std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return number;
}

std::vector<int> World::youngest_first() const {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const auto state = machines_[i].state;
    if (state == Machine::State::booting || state == Machine::State::runs) {
      numbers.push_back(static_cast<int>(i));
    }
  }
  std::stable_sort(numbers.begin(), numbers.end(), [&](int a, int b) {
    return machines_[static_cast<std::size_t>(a)].ordered >
           machines_[static_cast<std::size_t>(b)].ordered;
  });
  return numbers;
}

double World::mean_window() const {
  double sum = 0;
  int count = 0;
  for (const Machine& machine : machines_) {
    if (machine.state != Machine::State::runs) continue;
    sum += machine.window;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

Outcome World::finish() {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (machines_[i].state != Machine::State::none) remove(static_cast<int>(i));
  }
  outcome_.left = std::count(started_.begin(), started_.end(), false);
  std::sort(outcome_.waits.begin(), outcome_.waits.end());
  return std::move(outcome_);
}

}  // namespace sluice::fleet
