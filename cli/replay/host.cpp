#include "cli/replay/host.h"

#include <algorithm>
#include <utility>

#include "base/seconds.h"
#include "sluice/reading.h"

namespace sluice::cli {
namespace {

constexpr Bytes kUnlimited{std::uint64_t{1} << 60};
constexpr Duration kBrakeEvery = std::chrono::milliseconds(100);

model::Neighbour neighbour_of(const ScenarioNeighbour& given) {
  using Yields = model::Neighbour::Yields;
  return {.from = given.from,
          .until = given.until.value_or(Duration::max()),
          .threads = given.threads,
          .yields = given.yields ? Yields::to_ours : Yields::no,
          .memory = given.memory};
}

model::HostOptions options_of(const Scenario& scenario, const ScenarioHost& host) {
  model::HostOptions options{.cpus = host.cpus,
                             .memory = scenario.memory.value_or(kUnlimited),
                             .disk_per_second = host.disk_per_second,
                             .quota = host.quota,
                             .steal = host.steal};
  for (const ScenarioNeighbour& each : host.neighbours) {
    options.neighbours.push_back(neighbour_of(each));
  }
  return options;
}

std::vector<model::Phase> model_phases(const ScenarioJob& job) {
  if (job.phases.empty()) {
    const Bytes memory = job.request.memory.value_or(Bytes{0});
    return {{to_seconds(job.runs), job.cores.value_or(1), Bytes{0}, memory, Bytes{0}}};
  }
  std::vector<model::Phase> phases;
  for (const ScenarioPhase& each : job.phases) {
    phases.push_back({to_seconds(each.runs), each.cores, each.disk, each.memory, each.growth});
  }
  return phases;
}

}  // namespace

ReplayHost::ReplayHost(const Scenario& scenario, const ScenarioHost& host,
                       std::shared_ptr<History> history)
    : host_(options_of(scenario, host)),
      step_(model::HostOptions{}.step),
      has_memory_(scenario.memory.has_value()),
      reservation_(scenario.config.governing.reservation),
      watch_(host_, std::move(history),
             has_memory_ && scenario.history ? model::JobWatch::Memory::reserved
                                             : model::JobWatch::Memory::none) {}

bool ReplayHost::brakes() const {
  return has_memory_ && watch_.history() && reservation_.brake != ReservationOptions::Brake::off;
}

JobRequest ReplayHost::prepare(JobRequest& request) const {
  request.suspendable = brakes();
  JobRequest kind;
  if (!watch_.history()) return kind;
  kind.key = request.key;
  kind.program = request.program;
  kind.user = request.user;
  kind.variant = request.variant;
  kind.measured = true;
  kind.suspendable = request.suspendable;
  return kind;
}

void ReplayHost::submitted(JobId id, const ScenarioJob& job, JobRequest kind) {
  plans_.insert_or_assign(id.value, Plan{model_phases(job), std::move(kind)});
}

void ReplayHost::start(const Admitted& job) {
  Plan plan = std::move(plans_.extract(job.id.value).mapped());
  const model::Host::Number number = host_.start(std::move(plan.phases));
  watch_.start(number, {job.id, job.slot, std::move(plan.kind)});
}

std::vector<model::Host::Ended> ReplayHost::advance_to(TimePoint now) {
  while (host_.now() + step_ <= now) {
    host_.advance();
    const bool is_due = host_.now().time_since_epoch() % kBrakeEvery == Duration{0};
    if (is_due && brakes()) watch_.brake(reservation_);
  }
  return host_.take_ended();
}

const model::JobWatch::Job& ReplayHost::job(const model::Host::Ended& ended) const {
  return *watch_.find(ended.job);
}

void ReplayHost::end(const model::Host::Ended& ended, Outcome outcome, Core& core) {
  watch_.end(ended, outcome, core);
}

TimePoint ReplayHost::next() const { return host_.now() + step_; }

void ReplayHost::measure(Core& core) {
  watch_.measure(core);
  if (has_memory_) core.observe_memory({host_.memory()});
  core.observe_use(host_.counters());
}

std::optional<double> ReplayHost::pressure(const SensorOptions& options,
                                           std::string_view sensor) const {
  const auto bounded = [](double pressure) { return std::min(pressure, kMostPressure); };
  if (sensor == "load") {
    return bounded(host_.load1() / (options.load.limit.value_or(2.5) * host_.cpus()));
  }
  if (sensor == "memory") {
    const double least = options.memory.limit.value_or(0.05);
    return bounded(least / std::max(host_.available(), least / kMostPressure));
  }
  if (sensor != "memory_pressure") return std::nullopt;
  const MemoryPressureOptions& stall = options.memory_pressure;
  return bounded(std::max(host_.memory_some() / stall.limit.value_or(0.2),
                          host_.memory_full() / stall.full.value_or(0.1)));
}

std::shared_ptr<History> history_of(const Scenario& scenario) {
  if (!scenario.history) return nullptr;
  const Options& governing = scenario.config.governing;
  auto history =
      std::make_shared<History>(settle(governing.cost, governing.window.law), governing.reservation,
                                nullptr, scenario.memory.value_or(kAnyMemory));
  for (const ScenarioRun& run : *scenario.history) {
    const Sample sample{.key = run.key,
                        .program = run.program,
                        .busy_cores = run.cores,
                        .peak_memory = run.memory,
                        .wall = run.runs,
                        .user = run.user,
                        .seen_by = SeenBy::governor,
                        .variant = run.variant};
    for (std::int64_t each = 0; each < run.times; ++each) history->learn(sample);
  }
  return history;
}

std::vector<std::string> modelled_sensors(const Scenario& scenario) {
  std::vector<std::string> names;
  if (!scenario.host) return names;
  const SensorOptions& options = scenario.config.governing.sensors;
  const auto add = [&](const std::string& name, const SensorSettings& settings) {
    const bool is_scripted = std::ranges::any_of(
        scenario.sensors, [&](const SensorPoint& point) { return point.name == name; });
    if (settings.presence != Presence::off && !is_scripted) names.push_back(name);
  };
  add("load", options.load);
  if (!scenario.memory) return names;
  add("memory", options.memory);
  add("memory_pressure", options.memory_pressure);
  return names;
}

}  // namespace sluice::cli
