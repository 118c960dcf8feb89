#include "service/daemon/decision_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/host_identity.h"
#include "record/folder.h"
#include "service/daemon/job_entries.h"
#include "service/daemon/restatement.h"
#include "service/jobs/leases.h"
#include "sluice/version.h"

namespace sluice {
namespace {

/// A change of pressure that is recorded, as a part of the sensor's limit.
constexpr double kChange = 0.01;

/// A list of ten thousand jobs takes some ten milliseconds with the governor locked, and one job
/// among them part of that, so the next is asked for only after this many times as long.
constexpr int kWaitsPace = 200;

/// Between two entries about a job that waits for the same with other numbers.
constexpr Duration kSameReason = std::chrono::seconds(10);

constexpr Duration kConfigurationEvery = std::chrono::hours(1);

/// For the bytes of such an entry beside the text.
constexpr std::size_t kRoomForConfigured = 1024;

/// Steps of the memory of others, as a part of the limit.
constexpr std::uint64_t kMemorySteps = 64;

std::optional<std::int64_t> cpu_thousandths(const std::optional<CpuStatus>& cpu,
                                            double CpuStatus::*member) {
  return cpu ? std::optional(thousandths((*cpu).*member)) : std::nullopt;
}

/// Calls are most of a record: decisions get a quarter of its size.
constexpr std::uint64_t kQuarters = 4;

/// A call holds its time to the nanosecond. That of its entry only tells readers when it was, and
/// takes less room if it is the same for many.
constexpr Duration kCallTimes = std::chrono::milliseconds(100);

/// Room for calls between two writes, of some 50 bytes each, and for one that restores jobs.
constexpr std::size_t kRoomForCalls = std::size_t{4} << 20;

record::RecorderOptions recorder_options(const RecordOptions& options,
                                         const std::string& state_folder) {
  const bool hashes = options.names == RecordOptions::Names::hashed;
  record::RecorderOptions recorder;
  recorder.folder = state_folder + "/" + record::kFolderName;
  recorder.limits = {Bytes{options.size.value / kQuarters}, options.age};
  recorder.secret_file = hashes ? state_folder + "/record.secret" : "";
  recorder.start = {kVersion, this_boot()};
  return recorder;
}

/// Of the calls that belong to these decisions.
record::RecorderOptions calls_options(record::RecorderOptions decisions) {
  decisions.folder += "/" + std::string(record::kCallsName);
  decisions.limits.size.value *= kQuarters - 1;
  decisions.room = kRoomForCalls;
  decisions.blocks = record::Blocks::linked;  // A replay stops at a damaged one anyway.
  return decisions;
}

record::Recorder::OnFailing saying(const Log& log, const std::string& these) {
  return [log, these](const std::optional<std::string>& problem) {
    if (problem) {
      log(LogLevel::warning, "record: " + *problem + ": " + these +
                                 " are not recorded; jobs run as usual; next attempt in 30 s");
    } else {
      log(LogLevel::info, "record: " + these + " are recorded again");
    }
  };
}

}  // namespace

DecisionRecord::DecisionRecord(const RecordOptions& options,
                               const std::optional<std::string>& state_folder, const Log& log) {
  if (!options.enabled || !state_folder) return;
  const record::RecorderOptions recorder = recorder_options(options, *state_folder);
  // Clients open it from other folders than the daemon's.
  folder_ = std::filesystem::absolute(recorder.folder).string();
  room_for_restated_ = room_for_restated(recorder.limits.size);
  recorder_ = std::make_unique<record::Recorder>(recorder, saying(log, "decisions"));
  // Hashed names have another order and match other rules, so no replay would be exact.
  if (options.names == RecordOptions::Names::hashed) return;
  calls_ = std::make_shared<record::Recorder>(calls_options(recorder), saying(log, "calls"));
}

std::function<void(TimePoint at, std::string_view call)> DecisionRecord::on_call() const {
  if (!calls_) return {};
  return [calls = calls_, entry = record::Entry(record::GovernorCall{})](
             TimePoint at, std::string_view call) mutable {
    std::get<record::GovernorCall>(entry).bytes = call;
    calls->record(at - at.time_since_epoch() % kCallTimes, entry);
  };
}

template <typename Make>
void DecisionRecord::record(TimePoint at, Make&& make) {
  if (!recorder_) return;
  try {
    recorder_->record(at, make());
  } catch (...) {
    recorder_->miss(at);
  }
}

void DecisionRecord::start(const KnownJobs::Records& jobs) {
  if (!recorder_) return;
  record(Clock::now(), [&] {
    return record::DaemonEvent{"started", {kVersion}, numbers_of_unended(jobs)};
  });
  restate(jobs, {});
  // The folder of the calls is below that of the decisions, whose recorder checks it.
  mkdir(folder_.c_str(), 0700);
  recorder_->start();
  if (calls_) calls_->start();
}

void DecisionRecord::restate(const KnownJobs::Records& jobs, record::Restated beside_jobs) {
  waits_.clear();
  level_.reset();
  pressures_.clear();
  configuration_due_ = {};
  const TimePoint now = Clock::now();
  try {
    const auto kept = [this](const JobRecord& job) { return kept_for(job); };
    restate_all(*recorder_, now, live_jobs(jobs, fetched_), std::move(beside_jobs), kept,
                room_for_restated_);
  } catch (...) {
    recorder_->miss(now);
  }
}

void DecisionRecord::add_to_callbacks(RouteCallbacks& callbacks, KeptFor kept_for, ViewOf view_of) {
  if (!recorder_) return;
  kept_for_ = std::move(kept_for);
  view_of_ = std::move(view_of);
  callbacks.jobs.submitted = [this](const JobRecord& job) { submitted(job); };
  callbacks.jobs.changed = std::bind_front(&DecisionRecord::changed, this);
  callbacks.jobs.began = [this](const JobRecord& job) { began(job); };
  callbacks.jobs.over = [this](const JobRecord& job) { over(job); };
  callbacks.operated = [this, others = std::move(callbacks.operated)](std::string_view what) {
    others(what);
    tell("operated", what);
  };
}

std::function<void(const gearman::JobEvent&)> DecisionRecord::on_fetched_job() {
  if (!recorder_) return {};
  return [this](const gearman::JobEvent& event) { fetched(event); };
}

void DecisionRecord::fetched(const gearman::JobEvent& event) {
  using What = gearman::JobEvent::What;
  const auto [found, is_new] = fetched_.try_emplace(event.number);
  JobRecord& job = found->second;
  if (is_new) {
    job.number = event.number;
    job.id = event.job.unique.empty() ? event.job.handle : event.job.unique;
    job.request = event.request;
    job.arrived = Clock::now();
    job.kept = true;
  }
  if (event.what == What::waits) {
    const auto view = view_of_ ? view_of_(job.number) : std::nullopt;
    if (view) job.cost = view->cost;
  }
  if (event.what == What::starts) {
    job.admitted = Clock::now();
    job.cost = event.cost;
    job.prediction = *event.expected;
  }
  if (event.what != What::ends) return is_new ? submitted(job) : began(job);
  if (event.end) {
    job.usage = event.end->end.usage;
    job.recorded = event.end->recorded;
  }
  job.outcome = event.end ? event.end->outcome() : Outcome::cancelled;
  job.ended_by = event.end ? LeaseEnd::finish : LeaseEnd::refused;
  over(job);
  fetched_.erase(found);
}

void DecisionRecord::tell(std::string what, std::string_view detail) {
  record(Clock::now(), [&] { return record::DaemonEvent{std::move(what), {std::string(detail)}}; });
}

void DecisionRecord::configure(const Config& config) {
  const bool is_reload = cpus_ > 0;
  configuration_ = config.text;
  paused_queues_ = paused_queues(config.governing.queueing);
  cpus_ = config.cpus;
  configuration_due_ = {};
  // Jobs of its queues may come before the next poll.
  if (is_reload) record_configuration(Clock::now());
}

void DecisionRecord::record_configuration(TimePoint now) {
  record(now, [&] { return record::Configured{thousandths(cpus_), memory_, {configuration_}}; });
}

void DecisionRecord::submitted(const JobRecord& job) {
  record(job.arrived, [&] { return submitted_entry(job); });
  if (job.admitted) return began(job);
  first_wait(job.number);
}

void DecisionRecord::changed(const JobRecord& job, const Change& change) {
  record(Clock::now(), [&] { return changed_entry(job.number, change); });
}

/// Of a burst, those that still wait at the next poll get their reasons then.
void DecisionRecord::first_wait(JobId job) {
  const TimePoint began = Clock::now();
  const bool is_crowded = level_ && level_->pending > kMostWaits;
  if (!recorder_ || !view_of_ || is_crowded || began < first_wait_due_) return;
  if (const auto view = view_of_(job)) waits({*view}, began);
  const TimePoint ended = Clock::now();
  first_wait_due_ = ended + kWaitsPace * (ended - began);
}

/// A job that starts at once begins before it is stored: `submitted` records both in their order.
void DecisionRecord::began(const JobRecord& job) {
  if (!job.kept) return;
  usage_ += job.cost;
  waits_.erase(job.number.value);
  record(job.admitted.value_or(Clock::now()),
         [&] { return started_entry(job, usage_, size_, kept_for(job)); });
}

Bytes DecisionRecord::kept_for(const JobRecord& job) const {
  return (kept_for_ ? kept_for_(job) : std::nullopt).value_or(Bytes{});
}

void DecisionRecord::over(const JobRecord& job) {
  if (!job.kept) return;
  if (job.admitted) usage_ -= std::min(job.cost, usage_);
  waits_.erase(job.number.value);
  record(Clock::now(), [&] { return finished_entry(job); });
}

void DecisionRecord::window(const WindowChange& change) {
  size_ = change.to;
  record(change.at, [&] {
    return record::WindowChanged{.from = change.from,
                                 .to = change.to,
                                 .cause = std::string(to_string(change.cause)),
                                 .sensor = {change.sensor},
                                 .said = {change.said},
                                 .busy = cpu_thousandths(change.cpu, &CpuStatus::busy),
                                 .waiting = cpu_thousandths(change.cpu, &CpuStatus::waiting),
                                 .pending = change.pending};
  });
}

void DecisionRecord::sensor(const SensorStatus& sensor) {
  record(Clock::now(), [&] { return verdict_entry(sensor); });
}

void DecisionRecord::poll(const Governor& governor, const KnownJobs::Records& jobs) {
  if (!recorder_) return;
  const Status status = governor.status();
  const std::uint64_t breaks = recorder_->breaks();
  if (breaks != breaks_ && has_room(*recorder_, room_for_restated_)) {
    breaks_ = breaks;
    restate(jobs, told_beside_jobs(status, paused_queues_));
  }
  sample(status);
  if (status.pending == 0 || status.pending > kMostWaits) {
    waits_.clear();
    return;
  }
  const TimePoint began = Clock::now();
  if (began < waits_due_) return;
  waits(governor.jobs(), began);
  const TimePoint ended = Clock::now();
  waits_due_ = ended + kWaitsPace * (ended - began);
}

void DecisionRecord::sample(const Status& status) {
  if (!recorder_) return;
  size_ = status.size;
  usage_ = status.usage;
  memory_ = status.memory ? status.memory->limit : Bytes{};
  // One that never fits must not be a gap each time.
  const bool has_room_for_it = recorder_->room() > configuration_.size() + kRoomForConfigured;
  if (status.now >= configuration_due_ && has_room_for_it) {
    configuration_due_ = status.now + kConfigurationEvery;
    record_configuration(status.now);
  }
  record::Level level{status.size,
                      status.usage,
                      status.running,
                      status.pending,
                      cpu_thousandths(status.cpu, &CpuStatus::busy),
                      cpu_thousandths(status.cpu, &CpuStatus::waiting)};
  if (status.memory) {
    const std::uint64_t step =
        std::max<std::uint64_t>(status.memory->limit.value / kMemorySteps, 1);
    level.others = Bytes{status.memory->others.value / step * step};
  }
  // As coarse as pressures are.
  for (auto* each : {&level.busy, &level.waiting}) {
    if (*each) *each = (**each + 5) / 10 * 10;
  }
  if (level_ != level) {
    level_ = level;
    record(status.now, [&] { return level; });
  }
  record::Pressures changed;
  for (const SensorStatus& sensor : status.sensors) {
    if (!sensor.fresh || !sensor.reading) continue;
    const double pressure = sensor.reading->pressure();
    const auto [last, is_new] = pressures_.try_emplace(sensor.name, pressure);
    if (!is_new && std::abs(pressure - last->second) < kChange) continue;
    last->second = pressure;
    changed.of.emplace_back(record::Name{sensor.name}, thousandths(pressure));
  }
  if (!changed.of.empty()) record(status.now, [&] { return std::move(changed); });
}

/// A job behind another waits for what that one waits for, so which one it is makes no news.
bool DecisionRecord::is_news(const JobView& job, TimePoint now) const {
  const auto found = waits_.find(job.id.value);
  if (found == waits_.end()) return true;
  const Refusal& last = found->second.refusal;
  const Refusal& refusal = *job.refusal;
  if (last.code != refusal.code || last.binding != refusal.binding) return true;
  if (job.place * 2 <= found->second.place) return true;
  if (refusal.code == RefusalCode::behind) return false;
  const bool is_another = last.ahead != refusal.ahead && refusal.code != RefusalCode::memory;
  const std::int64_t slack = std::max<std::int64_t>(std::abs(refusal.needs / 10), 1);
  const bool is_moved =
      std::abs(last.needs - refusal.needs) >= slack || std::abs(last.free - refusal.free) >= slack;
  return (is_another || is_moved) && now - found->second.at >= kSameReason;
}

void DecisionRecord::waits(const std::vector<JobView>& jobs, TimePoint now) {
  if (!recorder_) return;
  for (const JobView& job : jobs) {
    if (job.state != JobState::pending || !job.refusal || !is_news(job, now)) continue;
    if (!has_room(*recorder_, 0)) return;  // The next call tells the others.
    waits_[job.id.value] = {*job.refusal, job.place, now};
    record(now, [&] { return waits_entry(job); });
  }
}

std::optional<RecordFacts> DecisionRecord::facts() const {
  if (!recorder_) return std::nullopt;
  record::Recording now = recorder_->recording();
  if (calls_) {
    record::Recording calls = calls_->recording();
    now.bytes += calls.bytes;
    now.lost += calls.lost;
    if (!now.failing) now.failing = std::move(calls.failing);
  }
  return RecordFacts{folder_, now.bytes, now.lost, std::move(now.failing)};
}

std::optional<std::string> DecisionRecord::foreign() const {
  if (!recorder_) return std::nullopt;
  std::optional<std::string> failing = recorder_->recording().failing;
  const bool is_held = failing && failing->ends_with(record::kHeldByAnother);
  return is_held ? std::move(failing) : std::nullopt;
}

}  // namespace sluice
