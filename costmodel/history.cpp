#include "costmodel/history.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "costmodel/estimate.h"
#include "costmodel/formula.h"
#include "costmodel/repeatability.h"

namespace sluice {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

std::uint64_t hash_of(std::string_view key) { return TextHash{}(key); }

/// Runs that are judged together, ended and running ones.
struct Group {
  std::string program;  ///< Of the last run.
  std::vector<PastRun> runs;
  std::vector<SoFar> running;
  mutable Estimate cached;
  mutable bool stale = true;

  const Estimate& known(Kinship kinship) const {
    if (stale) cached = estimate(runs, running, kinship);
    stale = false;
    return cached;
  }

  void add(const PastRun& run) {
    if (runs.size() == kSamplesPerKey) runs.erase(runs.begin());
    runs.push_back(run);
    stale = true;
  }

  void note(const SoFar& so_far) {
    stale = true;
    const auto found = std::ranges::find(running, so_far.run, &SoFar::run);
    if (found == running.end()) {
      running.push_back(so_far);
      return;
    }
    found->peak_memory = std::max(found->peak_memory, so_far.peak_memory);
    found->wall = std::max(found->wall, so_far.wall);
  }

  void drop_running(std::uint64_t run) {
    stale |= std::erase_if(running, [&](const SoFar& each) { return each.run == run; }) > 0;
  }

  void drop_runs(std::uint64_t key) {
    stale |= std::erase_if(runs, [&](const PastRun& each) { return each.key == key; }) > 0;
  }

  bool empty() const { return runs.empty() && running.empty(); }
};

using Groups = std::unordered_map<std::string, Group, TextHash, std::equal_to<>>;

const Group* find(const Groups& groups, std::string_view name) {
  const auto found = groups.find(name);
  return found == groups.end() ? nullptr : &found->second;
}

Group& at(Groups& groups, std::string_view name) {
  const auto found = groups.find(name);
  return found != groups.end() ? found->second : groups[std::string(name)];
}

void drop_if_empty(Groups& groups, std::string_view name) {
  const auto found = groups.find(name);
  if (found != groups.end() && found->second.empty()) groups.erase(found);
}

/// Makes room and gives what had to go: those whose last run ended longest ago go.
std::optional<Group> bound(Groups& groups) {
  if (groups.size() <= kMostKeys) return std::nullopt;
  const auto age = [](const auto& entry) {
    if (!entry.second.running.empty()) return std::pair{1, std::int64_t{0}};
    return std::pair{0, entry.second.runs.back().ended};
  };
  return std::move(groups.extract(std::ranges::min_element(groups, {}, age)).mapped());
}

/// Runs of other jobs that it takes to expect less of a job than of one of which nothing is known.
/// The first ones to end are the short ones, which as a rule are small.
constexpr std::size_t kRunsToLower = 10;

/// Of a program of which no run ever held more than this part of the prior, three are enough, for
/// a job that the brake can suspend: `sleep`, `cp` or `curl` is small by its nature, while no
/// compiler is that small even for an empty file.
constexpr std::uint64_t kSmallPart = 16;

MemoryNeed larger_of(const MemoryNeed& a, const MemoryNeed& b) {
  return {std::max(a.mean, b.mean), std::max(a.deviation, b.deviation)};
}

double p95_of(const std::vector<PastRun>& runs) {
  std::vector<std::uint64_t> peaks;
  for (const PastRun& run : runs) peaks.push_back(run.peak_memory.value);
  std::ranges::sort(peaks);
  const std::size_t rank = (peaks.size() * 95 + 99) / 100;
  return peaks.empty() ? 0.0 : static_cast<double>(peaks[rank - 1]);
}

}  // namespace

struct History::State {
  struct Names {
    std::string key, program;
  };

  mutable std::mutex mutex;
  CostOptions cost;
  ReservationOptions reservation;
  std::shared_ptr<SampleStore> store;
  Groups keys, programs;
  Group everything;
  Repeatability repeatability;  ///< By the runs of all keys.
  std::unordered_map<std::uint64_t, Names> running;

  void add(const Sample& sample);
  void add_all(const std::vector<Sample>& samples);
  Prediction predict(const JobRequest& job) const;
  Rung rung_of(const JobRequest& job, const Estimate** known) const;
  /// Whether less may be expected of a job than the prior.
  bool may_lower(const JobRequest& job, Rung rung, const Estimate& known) const;
  MemoryNeed prior_of(const JobRequest& job) const;
  Summary summary_of(const std::string& key, const Group& group) const;
};

void History::State::add(const Sample& sample) {
  const PastRun run{hash_of(sample.key), sample.ended,       sample.outcome,
                    sample.busy_cores,   sample.peak_memory, sample.wall};
  everything.add(run);
  if (!sample.program.empty()) {
    at(programs, sample.program).add(run);
    bound(programs);
  }
  if (sample.key.empty()) return;
  Group& group = at(keys, sample.key);
  repeatability.remove(Repeatability::evidence_of(group.runs));
  group.add(run);
  repeatability.add(Repeatability::evidence_of(group.runs));
  group.program = sample.program;
  if (const auto dropped = bound(keys)) {
    repeatability.remove(Repeatability::evidence_of(dropped->runs));
  }
}

void History::State::add_all(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) add(sample);
}

Rung History::State::rung_of(const JobRequest& job, const Estimate** known) const {
  const auto speaks = [&](const Group* group, Kinship kinship, std::size_t least) {
    *known = group ? &group->known(kinship) : nullptr;
    return group && (*known)->runs >= least;
  };
  if (!job.key.empty() && speaks(find(keys, job.key), Kinship::same_job, 1)) return Rung::key;
  if (!job.program.empty() &&
      speaks(find(programs, job.program), Kinship::different_jobs, kRunsToSpeak)) {
    return Rung::program;
  }
  if (speaks(&everything, Kinship::different_jobs, kRunsToSpeak)) return Rung::everything;
  return Rung::prior;
}

bool History::State::may_lower(const JobRequest& job, Rung rung, const Estimate& known) const {
  if (rung != Rung::program) return rung == Rung::key;
  const bool is_small = known.largest.value <= reservation.prior.value / kSmallPart;
  return known.runs >= kRunsToLower || (job.suspendable && is_small);
}

MemoryNeed History::State::prior_of(const JobRequest& job) const {
  const Group* alike = job.program.empty() ? &everything : find(programs, job.program);
  return guess(reservation.prior,
               alike ? std::span<const SoFar>(alike->running) : std::span<const SoFar>());
}

Prediction History::State::predict(const JobRequest& job) const {
  Prediction result;
  const Estimate* known = nullptr;
  result.rung = rung_of(job, &known);
  const bool learned = result.rung != Rung::prior;
  const Points unknown = formula(cost, job.inventory.value_or(1));
  if (learned) {
    const Points points{std::llround(10 * std::min(known->cores, 1e7))};
    result.cost = std::clamp(points, cost.minimum, kMostPoints);
    if (result.rung == Rung::everything) result.cost = std::max(result.cost, unknown);
    result.duration = known->wall;
  } else {
    result.cost = unknown;
  }
  if (job.cost) result.cost = *job.cost;
  const bool its_own = result.rung == Rung::key || result.rung == Rung::program;
  if (job.memory) {
    result.memory = MemoryNeed{static_cast<double>(job.memory->value), 0};
    result.rung = Rung::declared;
  } else if (learned && (its_own || job.measured)) {
    result.memory = known->memory;
    if (result.rung == Rung::key && known->runs < kRunsToSpeak) {
      result.memory->deviation =
          std::max(result.memory->deviation,
                   repeatability.deviation_after(known->runs) * result.memory->mean);
    }
    if (!may_lower(job, result.rung, *known) && job.measured) {
      result.memory = larger_of(known->memory, prior_of(job));
    }
  } else if (job.measured) {
    result.memory = prior_of(job);
  }
  return result;
}

History::Summary History::State::summary_of(const std::string& key, const Group& group) const {
  Summary summary;
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
  next.key = key;
  next.program = group.program;
  next.measured = true;
  summary.next = predict(next);
  if (summary.next.memory) summary.memory_deviation = summary.next.memory->deviation;
  return summary;
}

Sample sample_of(const JobRequest& job, const JobUsage& used, Outcome outcome, Bytes reserved,
                 std::int64_t ended) {
  return {job.key,  job.program,       ended,
          outcome,  used.busy_cores(), remembered_peak(outcome, used.peak_memory, reserved),
          used.wall};
}

History::History(CostOptions cost, ReservationOptions reservation,
                 std::shared_ptr<SampleStore> store)
    : state_(std::make_unique<State>()) {
  state_->cost = std::move(cost);
  state_->reservation = std::move(reservation);
  state_->store = std::move(store);
  if (state_->store) state_->add_all(state_->store->load());
}

History::~History() = default;

void History::configure(CostOptions cost, ReservationOptions reservation) {
  const std::lock_guard lock(state_->mutex);
  state_->cost = std::move(cost);
  state_->reservation = std::move(reservation);
}

void History::learn(Sample sample) {
  std::vector<Sample> news;
  if (state_->store) {
    if (!sample.key.empty()) state_->store->add(sample);
    news = state_->store->news();
  }
  const std::lock_guard lock(state_->mutex);
  state_->add_all(news);
  state_->add(sample);
}

void History::running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far) {
  const std::lock_guard lock(state_->mutex);
  State::Names& names =
      state_->running.try_emplace(run, State::Names{job.key, job.program}).first->second;
  const SoFar noted{run, so_far.peak_memory, so_far.wall};
  state_->everything.note(noted);
  if (!names.key.empty()) at(state_->keys, names.key).note(noted);
  if (!names.program.empty()) at(state_->programs, names.program).note(noted);
}

void History::ended(std::uint64_t run) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->running.find(run);
  if (found == state_->running.end()) return;
  const State::Names names = std::move(found->second);
  state_->running.erase(found);
  state_->everything.drop_running(run);
  const auto drop = [&](Groups& groups, const std::string& name) {
    const auto group = groups.find(name);
    if (group != groups.end()) group->second.drop_running(run);
    drop_if_empty(groups, name);
  };
  drop(state_->keys, names.key);
  drop(state_->programs, names.program);
}

Prediction History::predict(const JobRequest& job) const {
  const std::lock_guard lock(state_->mutex);
  return state_->predict(job);
}

std::vector<History::Summary> History::summaries() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Summary> result;
  for (const auto& [key, group] : state_->keys) {
    if (!group.runs.empty()) result.push_back(state_->summary_of(key, group));
  }
  std::ranges::sort(result, {}, &Summary::key);
  return result;
}

std::vector<Sample> History::samples(std::string_view key) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Sample> result;
  const Group* group = find(state_->keys, key);
  if (!group) return result;
  for (const PastRun& run : group->runs) {
    result.push_back({std::string(key), group->program, run.ended, run.outcome, run.busy_cores,
                      run.peak_memory, run.wall});
  }
  return result;
}

bool History::forget(std::string_view key) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->keys.find(key);
    if (found == state_->keys.end() || found->second.runs.empty()) return false;
    const std::uint64_t hash = hash_of(key);
    const std::string program = found->second.program;
    state_->repeatability.remove(Repeatability::evidence_of(found->second.runs));
    found->second.drop_runs(hash);
    drop_if_empty(state_->keys, key);
    state_->everything.drop_runs(hash);
    for (auto& [name, group] : state_->programs) group.drop_runs(hash);
    std::erase_if(state_->programs, [](const auto& entry) { return entry.second.empty(); });
  }
  if (state_->store) state_->store->forget(key);
  return true;
}

CostModel history_model(std::shared_ptr<const History> history) {
  return [history = std::move(history)](const JobRequest& job) { return history->predict(job); };
}

}  // namespace sluice
