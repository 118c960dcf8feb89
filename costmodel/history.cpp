#include "costmodel/history.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "costmodel/job_key.h"
#include "costmodel/predict.h"

namespace sluice {
namespace {

double p95_of(const std::vector<PastRun>& runs) {
  std::vector<std::uint64_t> peaks;
  for (const PastRun& run : runs) peaks.push_back(run.peak_memory.value);
  std::ranges::sort(peaks);
  const std::size_t rank = (peaks.size() * 95 + 99) / 100;
  return peaks.empty() ? 0.0 : static_cast<double>(peaks[rank - 1]);
}

bool is_heavy(const RunGroup& program) {
  const auto held_much = [](const PastRun& run) { return run.peak_memory >= kHeavyMemory; };
  const auto heavy = std::ranges::count_if(program.runs, held_much);
  return heavy > 0 && 2 * static_cast<std::size_t>(heavy) >= program.runs.size();
}

}  // namespace

void History::apply(const StoreNews& news) {
  for (const SampleFilter& which : news.forgotten) runs_.forget(which);
  for (const Sample& sample : news.added) runs_.add(sample);
}

History::Summary History::summary_of(std::string_view user, const std::string& key,
                                     const RunGroup& group) const {
  Summary summary;
  summary.user = user;
  summary.key = key;
  summary.program = group.program;
  summary.samples = group.runs.size();
  summary.last_ended = group.runs.back().ended;
  for (const PastRun& run : group.runs) ++summary.outcomes[run.outcome];
  const Estimate known = estimate(group.runs, {}, Kinship::same_job);
  summary.cores = known.cores;
  summary.memory_mean = known.memory.mean;
  summary.memory_p95 = p95_of(group.runs);
  summary.duration = known.wall;
  JobRequest next;
  next.user = user;
  next.key = key;
  next.program = group.program;
  next.measured = true;
  next.takes_turns = key.starts_with(kTokenKey);
  summary.next = sluice::predict(runs_, cost_, reservation_, next);
  if (summary.next.memory) summary.memory_deviation = summary.next.memory->deviation;
  return summary;
}

History::History(CostOptions cost, ReservationOptions reservation,
                 std::shared_ptr<SampleStore> store, Bytes machine)
    : cost_(std::move(cost)),
      reservation_(std::move(reservation)),
      store_(std::move(store)),
      runs_(machine) {
  if (store_) apply({.forgotten = {}, .added = store_->load()});
}

void History::configure(CostOptions cost, ReservationOptions reservation) {
  const std::lock_guard lock(mutex_);
  cost_ = std::move(cost);
  reservation_ = std::move(reservation);
}

void History::learn(Sample sample) {
  if (sample.outcome == Outcome::unknown) return;
  // A run killed for memory is recorded with more than it held.
  if (sample.outcome == Outcome::oom) {
    sample.peak_memory = std::min(sample.peak_memory, runs_.machine());
  }
  StoreNews news;
  if (store_) {
    if (!sample.key.empty() && runs_.is_believed(sample.peak_memory)) store_->add(sample);
    news = store_->news();
  }
  const std::lock_guard lock(mutex_);
  apply(news);
  runs_.add(sample);
}

void History::refresh() {
  if (!store_) return;
  const StoreNews news = store_->news();
  store_->poll();
  if (news.forgotten.empty() && news.added.empty()) return;
  const std::lock_guard lock(mutex_);
  apply(news);
}

void History::running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far) {
  const std::lock_guard lock(mutex_);
  runs_.update_running(run, job, so_far);
}

void History::ended(std::uint64_t run) {
  const std::lock_guard lock(mutex_);
  runs_.ended(run);
}

Prediction History::predict(const JobRequest& job) const {
  const std::lock_guard lock(mutex_);
  return sluice::predict(runs_, cost_, reservation_, job);
}

std::size_t History::runs_behind(const JobRequest& job) const {
  const std::lock_guard lock(mutex_);
  return sluice::runs_behind(runs_, job);
}

std::vector<std::string> History::heavy_programs(std::string_view user) const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  for (const UserRuns* runs : {&runs_.common(), runs_.find(user)}) {
    if (!runs) continue;
    for (const auto& [name, program] : runs->programs) {
      if (program.runs.empty()) continue;
      is_heavy(program) ? void(names.insert(name)) : void(names.erase(name));
    }
  }
  std::vector<std::string> heavy(names.begin(), names.end());
  heavy.resize(std::min(heavy.size(), kMostHeavyPrograms));
  return heavy;
}

std::vector<History::Summary> History::summaries() const {
  const std::lock_guard lock(mutex_);
  std::vector<Summary> result;
  const auto add = [&](std::string_view name, const UserRuns& user) {
    for (const auto& [key, group] : user.keys) {
      if (!group.runs.empty()) result.push_back(summary_of(name, key, group));
    }
  };
  add("", runs_.common());
  for (const auto& [name, user] : runs_.others()) add(name, user);
  std::ranges::sort(result, {}, [](const Summary& each) { return std::tie(each.key, each.user); });
  return result;
}

std::vector<Sample> History::samples(std::string_view key, std::string_view user) const {
  const std::lock_guard lock(mutex_);
  std::vector<Sample> result;
  const UserRuns* runs = runs_.find(user);
  const RunGroup* group = runs ? find(runs->keys, key) : nullptr;
  if (!group) return result;
  for (const PastRun& run : group->runs) {
    result.push_back({.key = std::string(key),
                      .program = group->program,
                      .ended = run.ended,
                      .outcome = run.outcome,
                      .busy_cores = run.busy_cores,
                      .peak_memory = run.peak_memory,
                      .wall = run.wall,
                      .user = std::string(user),
                      .seen_by = run.seen_by,
                      .variant = {},
                      .profile = run.profile ? *run.profile : CpuProfile{},
                      .memory = run.memory ? *run.memory : MemoryCourse{}});
  }
  return result;
}

bool History::forget(const SampleFilter& which) {
  bool any = false;
  {
    const std::lock_guard lock(mutex_);
    any = runs_.forget(which);
  }
  if (any && store_) store_->forget(which);
  return any;
}

CostModel history_model(std::shared_ptr<const History> history) {
  return [history = std::move(history)](const JobRequest& job) { return history->predict(job); };
}

}  // namespace sluice
