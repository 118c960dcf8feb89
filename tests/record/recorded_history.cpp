#include "recorded_history.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace sluice::record::testing {
namespace {

using What = reference::Event::What;

std::vector<KnownSensor> sensors() {
  return {fakes::known("load"), fakes::known("disk", {Acts::congestion})};
}

}  // namespace

RecordedHistory::RecordedHistory(std::uint64_t seed, Beginnings beginnings)
    : random_(seed),
      history_(reference::random_history(seed)),
      log_([this](TimePoint, std::string_view call) { calls_.emplace_back(call); },
           beginnings == Beginnings::everywhere ? 0 : ~std::size_t{0}) {
  GovernorOptions& options = history_.options;
  if (one_in(3)) options.window.law = Law::knee;
  if (one_in(2)) options.starting = Presence::on;
  core_.emplace(&log_, options, model(), sensors(), now_);
}

const std::vector<std::string>& RecordedHistory::play() {
  for (const reference::Event& event : history_.events) {
    now_ = std::max(now_, fakes::at(event.second)) + std::chrono::nanoseconds(pick(1000000));
    apply(event);
    for (int more = pick(5); more > 0; --more) measure();
  }
  decisions_.push_back("in the end " + std::to_string(core_->status(now_).counters.submitted) +
                       " jobs");
  for (const JobView& job : core_->jobs(now_)) {
    decisions_.push_back("job " + std::to_string(job.id.value));
    for (const std::string& line : to_lines(*core_->explain(job.id, now_), now_)) {
      decisions_.push_back(line);
    }
  }
  return calls_;
}

CostModel RecordedHistory::model() const {
  return [learned = learned_](const JobRequest& job) {
    const auto seen = static_cast<double>(*learned);
    Prediction answer(Points{3 + static_cast<std::int64_t>(job.key.size() + *learned / 4) % 5});
    if (!job.measured) return answer;
    answer.memory = MemoryNeed{1e6 * seen, 1e5 / (1 + seen)};
    answer.duration = std::chrono::seconds(*learned);
    answer.cores = seen / 7;
    answer.least_cost = Points{1};
    answer.rung = Rung::key;
    answer.ramp = std::chrono::seconds(1);
    answer.profile.phases[0] = {std::chrono::seconds(3), seen / 3};
    answer.profile.count = 1;
    MemoryProfile growth;
    growth.phases[0] = {std::chrono::seconds(2), seen * 1e5, seen * 1e11, 0.5};
    growth.count = growth.runs = 1;
    answer.growth = std::make_shared<const MemoryProfile>(growth);
    return answer;
  };
}

void RecordedHistory::admitted(const Admitted& job) {
  slots_[job.id] = job.slot;
  decisions_.push_back("starts " + std::to_string(job.id.value) + " for " +
                       std::to_string(job.cost.value));
}

JobId RecordedHistory::id_of(int job) const {
  const auto known = ids_.find(job);
  return known == ids_.end() ? JobId{} : known->second;
}

void RecordedHistory::apply(const reference::Event& event) {
  switch (event.what) {
    case What::submit:
      return submit(event);
    case What::finish:
      return finish(id_of(event.job), event.outcome);
    case What::cancel:
      core_->cancel(id_of(event.job));
      return;
    case What::set: {
      JobChange change = event.change;
      if (change.position) change.position->of = id_of(event.beside);
      core_->set(id_of(event.job), change, now_);
      return;
    }
    case What::pause_queue:
    case What::resume_queue:
      core_->operate_queue(event.queue,
                           event.what == What::pause_queue ? Switch::paused : Switch::running);
      return;
    case What::pause:
    case What::resume:
      return core_->operate(event.what == What::pause ? Switch::paused : Switch::running);
    case What::red:
    case What::green:
      return observe(event.what == What::red ? 1.5 : 0.3);
    case What::reload:
      if (core_->check_reload(event.options)) return;
      history_.options.queueing = event.options;
      core_->reload(history_.options, model(), sensors(), now_);
      return;
    default:
      for (Admitted& job : core_->pass(now_)) admitted(job);
      const bool changed = core_->check_registration(now_).changed;
      if (changed) decisions_.emplace_back("announces");
  }
}

void RecordedHistory::submit(const reference::Event& event) {
  JobRequest job = event.request;
  if (ids_.contains(event.job)) return;
  for (const int before : event.after) {
    if (ids_.contains(before)) job.after.push_back(id_of(before));
  }
  if (one_in(2)) job.cost.reset();
  job.measured = one_in(2);
  job.reports_started = one_in(3);
  if (one_in(4) && !slots_.empty()) job.parent = slots_.begin()->first;
  if (one_in(3)) {
    auto result = core_->try_admit(job, now_);
    if (auto* started = std::get_if<Admitted>(&result)) admitted(*started);
    if (const auto* refusal = std::get_if<Refusal>(&result)) refused(*refusal);
  } else if (one_in(2)) {
    auto result = core_->admit_or_queue(job, now_);
    if (auto* started = std::get_if<Admitted>(&result)) admitted(*started);
    if (const auto* refusal = std::get_if<Refusal>(&result)) refused(*refusal);
    if (auto* queued = std::get_if<Queued>(&result)) ids_[event.job] = queued->id;
  } else {
    const auto result = core_->submit(job, now_);
    if (const auto* refusal = std::get_if<Refusal>(&result)) refused(*refusal);
    if (const auto* queued = std::get_if<Queued>(&result)) ids_[event.job] = queued->id;
  }
}

void RecordedHistory::finish(JobId id, Outcome outcome) {
  const auto slot = slots_.find(id);
  if (slot == slots_.end()) return;
  core_->finish(slot->second, outcome, now_);
  slots_.erase(slot);
  ++*learned_;
}

void RecordedHistory::observe(double pressure) {
  std::vector<TimedMeasurement> sweep;
  sweep.push_back({fakes::measured(now_, pressure), Duration{pick(100)}});
  sweep.push_back({one_in(3) ? fakes::failed(now_) : fakes::measured(now_, pressure / 2), {}});
  core_->observe(sweep, now_);
}

void RecordedHistory::measure() {
  now_ += std::chrono::milliseconds(pick(700));
  switch (pick(7)) {
    case 0:
      return observe(0.1 * pick(12));
    case 1:
      if (const auto change = core_->adjust_window(now_))
        decisions_.push_back(to_sentence(*change));
      core_->start_over_if_due(now_);
      return;
    case 2: {
      UseCounters use;
      use.at = now_;
      use.cpus = 4;
      const Duration since = now_ - fakes::at(0);
      use.levels = {{"host", since * (2 + pick(3)), since * 4}};
      use.running = static_cast<std::uint64_t>(pick(9));
      return core_->observe_use(use);
    }
    case 3:
      return core_->observe_memory(
          {{"host", Bytes{1ULL << 30}, Bytes{static_cast<std::uint64_t>(pick(1 << 29))}}});
    case 4:
      if (core_->has_ended()) core_->take_ended();
      return core_->record_refused_for_window();
    default:
      return measure_job();
  }
}

void RecordedHistory::measure_job() {
  if (slots_.empty()) return;
  const auto job = std::next(slots_.begin(), pick(static_cast<int>(slots_.size())));
  if (one_in(4)) return core_->started(job->second);
  JobUsage usage;
  usage.wall = std::chrono::seconds(pick(10));
  usage.cpu = usage.wall * pick(3);
  usage.memory = usage.peak_memory = Bytes{static_cast<std::uint64_t>(pick(1 << 24))};
  core_->measured(job->second, usage, now_);
}

}  // namespace sluice::record::testing
