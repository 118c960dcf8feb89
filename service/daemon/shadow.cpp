#include "service/daemon/shadow.h"

#include <algorithm>
#include <exception>
#include <map>
#include <ranges>
#include <utility>

#include "base/mapped.h"
#include "costmodel/formula.h"

namespace sluice {
namespace {

/// So many times as long as a sample took, none is taken: it costs at most a percent of a core.
constexpr int kPace = 100;

/// Of the waiting jobs, the first in order; a governor seldom starts more in a second.
constexpr std::size_t kMostWaiting = 100;

std::vector<KnownSensor> known(const std::vector<Sensor>& sensors) {
  return mapped(sensors, [](auto& each) { return KnownSensor{each.name, each.policy, {}, {}}; });
}

bool runs(const JobRecord& job) { return job.admitted && !job.ended_by; }

/// Whether it waits for another job, under every configuration.
bool follows(const JobRecord& job, const Jobs& jobs) {
  return std::ranges::any_of(job.request.after, [&](JobId each) {
    const JobRecord* before = jobs.find(each);
    if (!before) return false;
    const bool is_held =
        job.request.on_failure == OnFailure::hold && before->outcome != Outcome::ok;
    return !before->ended_by || is_held;
  });
}

bool comes_first(const JobRecord* one, const JobRecord* other) {
  const auto rank = [](const JobRecord* job) {
    return std::tuple(-job->request.priority.value_or(0), job->order.whole, job->order.part,
                      job->number);
  };
  return rank(one) < rank(other);
}

/// The first jobs of each queue.
std::vector<JobSnapshot> first_of(
    std::map<std::string_view, std::vector<const JobRecord*>>& queues) {
  std::vector<JobSnapshot> first;
  if (queues.empty()) return first;
  const std::size_t share = std::max<std::size_t>(1, kMostWaiting / queues.size());
  for (auto& [name, jobs] : queues) {
    const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(share, jobs.size()));
    std::ranges::partial_sort(jobs, end, comes_first);
    for (auto job = jobs.begin(); job != end && first.size() < kMostWaiting; ++job) {
      first.push_back(snapshot_of(**job));
    }
  }
  return first;
}

}  // namespace

Shadow::Loaded Shadow::load(const std::string& file, ShadowSurroundings surroundings) {
  ConfigResult result = read_config(file, usable_cpus(surroundings.executor));
  if (auto* errors = std::get_if<std::vector<ConfigError>>(&result)) return std::move(*errors);
  Config& config = std::get<Config>(result);
  Options& options = config.governing;
  options.state_dir = std::move(surroundings.state_dir);
  std::vector<std::string> differences;
  for (const auto& [name, command] : options.sensors.commands) {
    differences.push_back("the sensor " + name + " counts as green: a shadow runs no command");
  }
  options.sensors.commands.clear();
  if (learns(options.cost, options.window.law) && !surroundings.history) {
    options.cost.model = CostOptions::Model::formula;
    differences.emplace_back(
        "costs come from the formula: the configuration in force does not learn");
  }
  try {
    Assembly assembly =
        assemble(options, {std::move(surroundings.history), {}}, std::move(surroundings.executor));
    assembly.options.when_red = surroundings.when_red;
    return std::make_unique<Shadow>(config, std::move(assembly), std::move(differences));
  } catch (const std::exception& problem) {
    return std::vector{ConfigError{file, 0, 0, problem.what()}};
  }
}

Shadow::Shadow(const Config& config, Assembly assembly, std::vector<std::string> differences)
    : file_(config.file),
      assembly_(std::move(assembly)),
      differences_(std::move(differences)),
      core_(assembly_.options, assembly_.cost_model, known(assembly_.sensors), Clock::now()) {}

void Shadow::see(const Status& status, const Jobs& jobs) {
  operated_ = status.draining ? Switch::draining : status.paused ? Switch::paused : Switch::running;
  queues_.clear();
  for (const QueueStatus& queue : status.queues) {
    queues_.emplace_back(queue.name, queue.paused ? Switch::paused : Switch::running);
  }
  const auto known = static_cast<std::size_t>(std::ranges::count_if(
      jobs.all() | std::views::values, [](const JobRecord& job) { return runs(job); }));
  others_ = status.running - std::min(known, status.running);
}

RealState Shadow::real_state(const Jobs& jobs, TimePoint now) {
  RealState real;
  real.now = now;
  real.operated = operated_;
  real.queues = queues_;
  real.others = others_;
  std::map<std::string_view, std::vector<const JobRecord*>> queues;
  for (const JobRecord& job : jobs.all() | std::views::values) {
    if (job.ended_by) continue;
    if (!job.admitted) {
      if (!follows(job, jobs)) queues[job.request.queue].push_back(&job);
      continue;
    }
    if (!core_.runs(job.number)) real.began.push_back(snapshot_of(job));
    real.uses.push_back({job.number, job.told, job.starting});
  }
  std::ranges::sort(real.began, {}, &JobSnapshot::admitted);
  real.waiting = first_of(queues);
  for (const auto& [number, slot] : core_.running()) {
    const JobRecord* job = jobs.find(JobId{number});
    if (!core_.is_stand_in(JobId{number}) && (!job || !runs(*job))) {
      real.ended.push_back(JobId{number});
    }
  }
  real.use = read_use(assembly_.options.use_meter);
  if (now < sweep_due_) return real;
  sweep_due_ = now + core_.interval();
  real.sweep = sweep_all(assembly_.sensors);
  real.memory = read_memory(assembly_.options.memory_meter);
  return real;
}

void Shadow::poll(const Jobs& jobs, TimePoint now) {
  if (now < due_) return;
  RealState real = real_state(jobs, now);
  const bool has_jobs = !real.uses.empty() || !real.waiting.empty() || real.others > 0;
  last_ = core_.next(std::move(real));
  began_ += last_.began;
  held_ += last_.holds.size();
  if (!last_.holds.empty()) last_held_ = last_.holds.back();
  const bool samples_cpus = core_.law() == Law::knee && has_jobs;
  const TimePoint ended = Clock::now();
  due_ = std::max(samples_cpus ? now : sweep_due_, ended + kPace * (ended - now));
}

ShadowFacts Shadow::facts() const {
  ShadowFacts facts;
  facts.config_file = file_;
  facts.law = to_string(core_.law());
  facts.size = last_.size;
  facts.usage = last_.usage;
  facts.red = last_.red;
  facts.would_start = last_.starts;
  facts.would_refuse = last_.refuses.size();
  facts.refusal = last_.refusal;
  facts.began = began_;
  facts.held = held_;
  facts.last_held = last_held_;
  facts.differences = differences_;
  facts.differences.insert(facts.differences.end(), core_.lacking().begin(), core_.lacking().end());
  return facts;
}

}  // namespace sluice
