#include "host_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "governor/law/window.h"
#include "zuul_governor.h"

namespace sluice::model {
namespace {

constexpr Points kCost{10};  ///< By the formula, with an inventory of one node.
constexpr double kResume = 0.9;
constexpr std::size_t kEndless = 100;
constexpr std::int64_t kBurstEvery = 40 * 60;
constexpr int kBurstPerCore = 3;
constexpr std::int64_t kSteadyFrom = 3600;

double load_pressure(const HostView& host, double limit) { return host.load1 / limit; }

double memory_pressure(const HostView& host) {
  return host.available <= 0.05 / 100 ? 100 : 0.05 / host.available;
}

double stall_pressure(const HostView& host) {
  return std::max(host.memory_some / 0.20, host.memory_full / 0.10);
}

/// Sluice's laws, with the sensors and the admission of a governor.
class WindowPolicy {
 public:
  WindowPolicy(Law law, const Scenario& scenario) : load_limit_(scenario.load_limit) {
    WindowOptions options = scenario.window;
    options.law = law;
    load_limit_ *= scenario.host.cores;
    parameters_ = settle(options, scenario.host.cores);
    state_ = open_window(parameters_, TimePoint{});
  }

  void observe(std::int64_t second, const HostView& host, bool pending) {
    judge(sensors_[0], load_pressure(host, load_limit_));
    judge(sensors_[1], memory_pressure(host));
    judge(sensors_[2], stall_pressure(host));
    const TimePoint now{std::chrono::seconds(second)};
    if (now < next_look_) return;
    next_look_ = now + parameters_.interval;
    const Points before = state_.size;
    state_ =
        step_window(parameters_, state_, {usage(host.running), refused_, pending, sensors_, now})
            .state;
    refused_ = false;
    if (state_.size == before) return;
    const int direction = state_.size > before ? 1 : -1;
    if (direction == -direction_) ++reversals_;
    direction_ = direction;
  }

  bool admits(const HostView& host) {
    if (red()) return false;
    if (host.running == 0 || usage(host.running) + kCost <= state_.size) return true;
    refused_ = true;
    return false;
  }

  void admitted(const HostView&) {}

  bool red() const {
    return std::any_of(sensors_.begin(), sensors_.end(), [](const auto& s) { return s.red; });
  }

  int reversals() const { return reversals_; }

 private:
  static Points usage(int running) { return Points{running * kCost.value}; }

  static void judge(JudgedSensor& sensor, double pressure) {
    sensor.pressure = pressure;
    sensor.red = pressure >= (sensor.red ? kResume : 1.0);
  }

  double load_limit_;
  WindowParameters parameters_;
  WindowState state_;
  std::array<JudgedSensor, 3> sensors_{{{"load", Acts::congestion},
                                        {"memory", Acts::congestion},
                                        {"memory_pressure", Acts::congestion}}};
  TimePoint next_look_{std::chrono::seconds(1)};
  bool refused_ = false;
  int direction_ = 0;
  int reversals_ = 0;
};

class OnOffPolicy {
 public:
  explicit OnOffPolicy(const Scenario& scenario) : governor_(scenario.host.cores) {}

  void observe(std::int64_t second, const HostView& host, bool) {
    now_ = static_cast<double>(second);
    change([&] { governor_.tick(second, host); });
    red_ = governor_.host_red(host);
  }

  bool admits(const HostView&) { return governor_.accepting() && free_at_ < now_ + 1; }

  void admitted(const HostView& host) {
    free_at_ = std::max(free_at_, now_) + ZuulGovernor::grab_delay(host.running);
    change([&] { governor_.manage_load(host); });
  }

  bool red() const { return red_; }
  int reversals() const { return flips_; }

 private:
  template <typename Act>
  void change(Act act) {
    const bool before = governor_.accepting();
    act();
    if (governor_.accepting() != before) ++flips_;
  }

  ZuulGovernor governor_;
  double now_ = 0;
  double free_at_ = 0;  ///< When it can take the next build, accepting or not.
  bool red_ = false;
  int flips_ = 0;
};

/// Jobs that arrived and have not started, in order.
class Backlog {
 public:
  explicit Backlog(const Scenario& scenario)
      : scenario_(scenario), stream_(scenario.host, scenario.seed) {}

  void arrive(std::int64_t second) {
    if (scenario_.arrivals == Arrivals::endless) {
      while (waiting_.size() < kEndless) waiting_.push_back({stream_.next(), second});
    } else if (second % kBurstEvery == 0) {
      const int burst = kBurstPerCore * scenario_.host.cores;
      for (int i = 0; i < burst; ++i) waiting_.push_back({stream_.next(), second});
    }
  }

  bool empty() const { return waiting_.empty(); }

  JobSpec take(std::int64_t second) {
    const Waiting first = waiting_.front();
    waiting_.pop_front();
    waited_ += static_cast<double>(second - first.arrived);
    ++taken_;
    return first.job;
  }

  double wait_mean() const { return taken_ == 0 ? 0 : waited_ / taken_; }

 private:
  struct Waiting {
    JobSpec job;
    std::int64_t arrived;
  };

  Scenario scenario_;
  JobStream stream_;
  std::deque<Waiting> waiting_;
  double waited_ = 0;
  int taken_ = 0;
};

template <typename Governing>
Figures run(Governing policy, const Scenario& scenario) {
  HostModel host(scenario.host);
  Backlog backlog(scenario);
  Observer observer(scenario);
  for (std::int64_t second = 0; second < scenario.hours * 3600; ++second) {
    backlog.arrive(second);
    policy.observe(second, host.view(), !backlog.empty());
    while (!backlog.empty() && policy.admits(host.view())) {
      host.start(backlog.take(second));
      policy.admitted(host.view());
    }
    host.advance();
    observer.see(second, host.view(), policy.red(), host.tally().killed);
  }
  Figures figures = observer.figures(host.tally(), policy.reversals());
  figures.wait_mean = backlog.wait_mean();
  return figures;
}

constexpr std::array kOfJobs{&Figures::jobs_per_hour,     &Figures::killed_per_hour,
                             &Figures::killed_first_hour, &Figures::killed_later_per_hour,
                             &Figures::running_mean,      &Figures::running_sd,
                             &Figures::running_most};
constexpr std::array kOfTime{
    &Figures::over_per_hour, &Figures::red_per_hour,       &Figures::busy,     &Figures::useful,
    &Figures::load_most,     &Figures::reversals_per_hour, &Figures::wait_mean};

}  // namespace

void Observer::see(std::int64_t second, const HostView& host, bool red, std::int64_t killed) {
  const double cores = scenario_.host.cores;
  over_ += host.load1 > 2.5 * cores || host.available < 0.05 ? 1 : 0;
  red_ += red ? 1 : 0;
  load_most_ = std::max(load_most_, host.load1 / cores);
  running_most_ = std::max<double>(running_most_, host.running);
  if (second < kSteadyFrom) {
    killed_first_hour_ = killed;
    return;
  }
  ++steady_;
  running_ += host.running;
  running_squares_ += static_cast<double>(host.running) * host.running;
}

Figures Observer::figures(const HostTally& tally, int reversals) const {
  const double hours = scenario_.hours;
  const double capacity = hours * 3600 * scenario_.host.cores;
  Figures figures;
  figures.jobs_per_hour = tally.finished / hours;
  figures.killed_per_hour = tally.killed / hours;
  figures.killed_first_hour = static_cast<double>(killed_first_hour_);
  figures.killed_later_per_hour =
      hours > 1 ? static_cast<double>(tally.killed - killed_first_hour_) / (hours - 1) : 0;
  figures.over_per_hour = over_ / hours;
  figures.red_per_hour = red_ / hours;
  figures.busy = tally.busy_core_seconds / capacity;
  figures.useful = tally.useful_core_seconds / capacity;
  figures.running_mean = running_ / steady_;
  const double mean = figures.running_mean;
  figures.running_sd = std::sqrt(std::max(0.0, running_squares_ / steady_ - mean * mean));
  figures.running_most = running_most_;
  figures.load_most = load_most_;
  figures.reversals_per_hour = reversals / hours;
  return figures;
}

Figures simulate(Policy policy, const Scenario& scenario) {
  if (policy == Policy::on_off) return run(OnOffPolicy(scenario), scenario);
  return run(WindowPolicy(policy == Policy::rfc ? Law::rfc : Law::adaptive, scenario), scenario);
}

void add_to(Figures& sum, const Figures& one, double part, double scale) {
  for (const auto field : kOfJobs) sum.*field += one.*field * part * scale;
  for (const auto field : kOfTime) sum.*field += one.*field * part;
}

Figures simulate_seeds(Policy policy, Scenario scenario, int seeds) {
  Figures mean;
  for (int seed = 1; seed <= seeds; ++seed) {
    scenario.seed = static_cast<std::uint64_t>(seed);
    add_to(mean, simulate(policy, scenario), 1.0 / seeds);
  }
  return mean;
}

}  // namespace sluice::model
