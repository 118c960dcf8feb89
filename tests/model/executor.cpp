#include "executor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/seconds.h"
#include "costmodel/formula.h"
#include "governor/law/cores.h"
#include "sluice/reading.h"

namespace sluice::model {
namespace {

constexpr Duration kSampleEvery = std::chrono::milliseconds(250);
/// Jobs are measured by another thread, between two samples of the machine.
constexpr Duration kMeasureAt = std::chrono::milliseconds(100);
constexpr Duration kBrakeEvery = std::chrono::milliseconds(100);
constexpr double kLeastAvailable = 0.05;
constexpr double kMostSome = 0.2;
constexpr double kMostFull = 0.1;

TimedMeasurement reading_of(double pressure, TimePoint now) {
  const double bounded = std::min(pressure, kMostPressure);
  Reading reading;
  reading.conditions.push_back({"model", bounded, 1.0, std::nullopt, Unit::ratio, bounded});
  return {Measurement{now, std::move(reading)}, Duration{0}};
}

std::vector<KnownSensor> known_sensors() {
  std::vector<KnownSensor> sensors;
  for (const std::string_view name : {"load", "memory", "memory_pressure"}) {
    KnownSensor sensor;
    sensor.name = name;
    sensor.policy.acts = Acts::congestion;
    sensors.push_back(std::move(sensor));
  }
  return sensors;
}

}  // namespace

Executor::Executor(Host& host, ExecutorOptions options)
    : host_(host),
      options_(std::move(options)),
      watch_(host,
             std::make_shared<History>(settle(options_.cost, options_.window.law),
                                       options_.reservation, nullptr, host.memory().limit),
             reserves() ? JobWatch::Memory::reserved : JobWatch::Memory::none),
      core_(governor_options(), cost_model(), known_sensors(), host.now()) {
  read_sensors();
  sample();
}

GovernorOptions Executor::governor_options() const {
  GovernorOptions options;
  options.window = settle(options_.window, host_.counters().cpus);
  options.starting = Presence::off;
  options.reservation = options_.reservation;
  options.least_cost = *settle(options_.cost, options_.window.law).minimum;
  options.when_red = options_.when_red;
  return options;
}

CostModel Executor::cost_model() const {
  if (options_.learning == ExecutorOptions::Learning::history)
    return history_model(watch_.history());
  return formula_model(settle(options_.cost, options_.window.law));
}

JobRequest Executor::request_of(const Work& work) const {
  JobRequest request;
  request.key = work.key;
  request.program = work.program;
  request.measured = true;
  request.suspendable = reserves() && options_.reservation.brake != ReservationOptions::Brake::off;
  return request;
}

void Executor::submit(Work work) {
  const auto result = core_.submit(request_of(work), host_.now());
  pending_.emplace(std::get<Queued>(result).id.value, std::move(work));
  is_due_ = true;
}

bool Executor::is_each(Duration period, Duration offset) const {
  return host_.now().time_since_epoch() % period == offset;
}

void Executor::follow(std::span<const Host::Ended> ended) {
  for (const Host::Ended& each : ended) end(each);
  if (is_each(kSampleEvery, kMeasureAt)) watch_.measure(core_);
  if (is_each(kBrakeEvery, Duration(0))) watch_.brake(options_.reservation);
  const bool sweeps = is_each(core_.options().window.interval, Duration(0));
  if (sweeps) read_sensors();
  const bool samples_often = options_.window.law == Law::knee && running() + pending() > 0;
  if (sweeps || (samples_often && is_each(kSampleEvery, Duration(0)))) sample();
  admit();
}

void Executor::end(const Host::Ended& ended) {
  const auto job = watch_.end(ended, ended.outcome, core_);
  if (!job) return;
  ended_cpu_ += to_seconds(ended.usage.cpu);
  core_.finish(job->slot, ended.outcome, host_.now());
  is_due_ = true;
}

void Executor::read_sensors() {
  const double stall = std::max(host_.memory_some() / kMostSome, host_.memory_full() / kMostFull);
  const double available = std::max(host_.available(), kLeastAvailable / kMostPressure);
  core_.observe(
      {reading_of(host_.load1() / (options_.load_limit * host_.cpus()), host_.now()),
       reading_of(kLeastAvailable / available, host_.now()), reading_of(stall, host_.now())},
      host_.now());
  if (reserves()) core_.observe_memory({host_.memory()});
}

void Executor::sample() {
  core_.observe_use(options_.meter ? options_.meter(host_) : host_.counters());
  if (const auto change = core_.adjust_window(host_.now())) changes_.push_back(*change);
  is_due_ = true;
}

void Executor::admit() {
  if (!std::exchange(is_due_, false) || pending() == 0) return;
  for (const Admitted& admitted : core_.pass(host_.now())) {
    auto work = pending_.extract(admitted.id.value);
    const Host::Number number = host_.start(work.mapped().phases);
    watch_.start(number, {admitted.id, admitted.slot, request_of(work.mapped())});
  }
}

bool Executor::is_red() const {
  const auto closed = core_.why_closed();
  return closed && closed->code == RefusalCode::sensor;
}

double Executor::cpu_seconds() const { return ended_cpu_ + watch_.cpu_seconds(); }

}  // namespace sluice::model
