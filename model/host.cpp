#include "model/host.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/seconds.h"
#include "governor/law/cores.h"

namespace sluice::model {
namespace {

constexpr double kSystemPart = 0.04;  ///< Of the memory.
constexpr double kSwitchLoss = 0.03;
constexpr double kRefaultsBelow = 0.02;
constexpr double kDeepestStall = 0.9;
constexpr double kSectorBytes = 512;
constexpr double kTiny = 1e-9;  ///< Rounding of sums of steps.

double number(Bytes bytes) { return static_cast<double>(bytes.value); }
Bytes bytes(double number) { return Bytes{static_cast<std::uint64_t>(std::llround(number))}; }
Duration duration(double seconds) { return Duration(std::llround(seconds * 1e9)); }

/// What each of `threads` gets of `cpus`.
double fair(double cpus, double threads) {
  return threads > cpus ? std::max(0.0, cpus) / threads : 1;
}

}  // namespace

Host::Host(HostOptions options) : options_(std::move(options)), step_(to_seconds(options_.step)) {}

Host::Number Host::start(std::vector<Phase> phases) {
  if (free_.empty()) {
    free_.push_back(jobs_.size());
    jobs_.emplace_back();
  }
  const Number number = free_.back();
  free_.pop_back();
  Job& job = jobs_[number];
  job = Job{};
  job.phases = std::move(phases);
  job.started = now_;
  job.in_use = true;
  ++running_;
  begin_phase(job);
  return number;
}

void Host::begin_phase(Job& job) {
  if (job.phase == job.phases.size()) return;
  const Phase& phase = job.phases[job.phase];
  job.disk_left = number(phase.disk);
  // The same work goes on in the rest of the step.
  const bool goes_on = job.phase > 0 && job.phases[job.phase - 1].cores == phase.cores;
  job.left = phase.seconds + (goes_on && !is_blocked(job) ? std::min(0.0, job.left) : 0);
  hold_memory(job);
}

void Host::hold_memory(Job& job) {
  const Phase& phase = job.phases[job.phase];
  const double done = phase.seconds > 0 ? 1 - std::max(0.0, job.left) / phase.seconds : 1;
  job.held = number(phase.memory) + done * number(phase.growth);
  job.peak = std::max(job.peak, job.held);
}

double Host::threads_of(const Job& job) const {
  const bool computes =
      job.in_use && !job.suspended && !is_blocked(job) && job.phase < job.phases.size();
  return computes ? job.phases[job.phase].cores : 0;
}

double Host::runnable() const { return demand().own; }

Host::Demand Host::demand() const {
  Demand demand;
  for (const Job& job : jobs_) {
    demand.own += threads_of(job);
    demand.blocked += job.in_use && is_blocked(job) ? 1 : 0;
  }
  const Duration at = now_.time_since_epoch();
  for (const Neighbour& each : options_.neighbours) {
    if (at < each.from || at >= each.until) continue;
    (each.yields == Neighbour::Yields::no ? demand.neighbours : demand.yielding) += each.threads;
  }
  return demand;
}

double Host::memory_held() const {
  double held = kSystemPart * number(options_.memory);
  for (const Job& job : jobs_) held += job.in_use ? job.held : 0;
  const Duration at = now_.time_since_epoch();
  for (const Neighbour& each : options_.neighbours) {
    if (at >= each.from && at < each.until) held += number(each.memory);
  }
  return held;
}

double Host::available() const {
  return std::max(0.0, 1 - memory_held() / number(options_.memory));
}

double Host::stall() const {
  return std::clamp(1 - available() / kRefaultsBelow, 0.0, kDeepestStall);
}

Host::Share Host::share_out(const Demand& demand) {
  const double cpus = options_.cpus * (1 - options_.steal);
  const double own_cpus = std::min(cpus, options_.quota.value_or(cpus));
  const double all = demand.own + demand.neighbours;
  Share share;
  share.cpu = std::min(fair(cpus, all), fair(own_cpus, demand.own));
  const double own = share.cpu * demand.own;
  const double neighbours = std::min(demand.neighbours, cpus - own);
  const double yielding = std::min(demand.yielding, cpus - own - neighbours);
  count(demand, own, neighbours, yielding);
  const double over = std::max(1.0, all / cpus);
  const double stalled = stall();
  share.speed = share.cpu * (1 - stalled) / (1 + kSwitchLoss * (over - 1));
  share.disk = demand.blocked > 0 ? number(options_.disk_per_second) / demand.blocked : 0;
  totals_.busy += (own + neighbours) * (1 - stalled) * step_;
  totals_.most_runnable = std::max(totals_.most_runnable, demand.own);
  return share;
}

/// What the counters of the kernel show of a step.
void Host::count(const Demand& demand, double own, double neighbours, double yielding) {
  const double cpus = options_.cpus * (1 - options_.steal);
  own_used_ += own * step_;
  used_ += (own + neighbours) * step_;
  yielding_ += yielding * step_;
  available_ += cpus * step_;
  quota_available_ += options_.quota.value_or(cpus) * step_;
  // PSI is weighted over the CPUs: one thread too many on each is all of the time.
  const double all = demand.own + demand.neighbours + demand.yielding;
  const double level = std::min(cpus, options_.quota.value_or(cpus));
  const double stalled = std::max(all / cpus - 1, demand.own / level - 1);
  cpu_stalled_ += std::clamp(stalled, 0.0, 1.0) * step_;
  io_stalled_ += demand.blocked > 0 ? step_ : 0;
}

void Host::proceed(Job& job, const Share& share) {
  if (is_blocked(job)) {
    const double moved = std::min(job.disk_left, share.disk * step_);
    job.disk_left -= moved;
    job.moved += moved;
    moved_ += moved;
    if (job.disk_left > 0 || job.left > kTiny) return;
  } else {
    const double threads = threads_of(job);
    job.cpu += threads * share.cpu * step_;
    job.delay += threads * (1 - share.cpu) * step_;
    job.left -= threads > 0 ? share.speed * step_ : step_;
    hold_memory(job);
  }
  while (job.left <= kTiny && !is_blocked(job) && job.phase < job.phases.size()) {
    ++job.phase;
    begin_phase(job);
  }
}

void Host::advance() {
  last_ = demand();
  const double stalled = stall();
  const Share share = share_out(last_);
  now_ += options_.step;
  for (Job& job : jobs_) {
    if (!job.in_use) continue;
    if (job.suspended) {
      job.idle += options_.step;
      continue;
    }
    if (job.phase < job.phases.size()) proceed(job, share);
    if (job.phase == job.phases.size()) end(job, Outcome::ok);
  }
  kill_for_memory();
  totals_.seconds += step_;
  sample(last_, stalled);
}

void Host::end(Job& job, Outcome outcome) {
  const auto number = static_cast<Number>(&job - jobs_.data());
  ended_.push_back({number, outcome, usage(number)});
  job.in_use = false;
  --running_;
  if (outcome == Outcome::oom) {
    ++totals_.killed;
    return;
  }
  ++totals_.ended;
  for (const Phase& phase : job.phases) totals_.useful += phase.seconds * phase.cores;
}

void Host::kill_for_memory() {
  while (running_ > 0 && memory_held() > number(options_.memory)) {
    const auto held = [](const Job& job) { return job.in_use ? job.held : -1; };
    const auto largest =
        std::max_element(jobs_.begin(), jobs_.end(),
                         [&](const Job& one, const Job& other) { return held(one) < held(other); });
    end(*largest, Outcome::oom);
  }
}

bool Host::is_each(Duration period) const {
  return now_.time_since_epoch() % period < options_.step;
}

void Host::sample(const Demand& demand, double stalled) {
  const double active = demand.own + demand.neighbours + demand.yielding + demand.blocked;
  if (is_each(std::chrono::seconds(5))) load_.sample(active);
  if (is_each(std::chrono::seconds(2))) memory_stall_.sample(stalled);
}

std::vector<Host::Ended> Host::take_ended() {
  for (const Ended& each : ended_) free_.push_back(each.job);
  return std::exchange(ended_, {});
}

JobUsage Host::usage(Number number) const {
  const Job& job = jobs_[number];
  JobUsage usage;
  usage.source = JobUsage::Source::cgroup;
  usage.wall = now_ - job.started - job.idle;
  usage.cpu = duration(job.cpu);
  usage.cpu_delay = duration(job.delay);
  usage.memory = bytes(job.held);
  usage.peak_memory = bytes(job.peak);
  usage.read = bytes(job.moved);
  usage.written = Bytes{0};
  return usage;
}

UseCounters Host::counters() const {
  UseCounters counters;
  counters.at = now_;
  counters.cpus = std::min(options_.cpus, options_.quota.value_or(options_.cpus));
  counters.levels.push_back({"host", duration(used_), duration(available_)});
  if (options_.quota) {
    counters.levels.push_back({"/quota", duration(own_used_), duration(quota_available_)});
  }
  counters.yielding = duration(yielding_);
  counters.cpu_stall = UseCounters::Stall{"/proc/pressure/cpu", duration(cpu_stalled_)};
  counters.io_stall = UseCounters::Stall{"/proc/pressure/io", duration(io_stalled_)};
  counters.running = static_cast<std::uint64_t>(std::llround(last_.own + last_.neighbours));
  counters.blocked = static_cast<std::uint64_t>(std::llround(last_.blocked));
  counters.sectors = static_cast<std::uint64_t>(moved_ / kSectorBytes);
  return counters;
}

MemoryLimit Host::memory() const {
  return {"host", options_.memory, bytes(memory_held()), MemoryLimit::Kill::process};
}

}  // namespace sluice::model
