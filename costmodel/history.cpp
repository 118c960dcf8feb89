#include "costmodel/history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "costmodel/formula.h"
#include "costmodel/repeatability.h"
#include "costmodel/variants.h"

namespace sluice {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

std::uint64_t hash_of(std::string_view key) { return TextHash{}(key); }

std::uint64_t variant_of(std::string_view text) { return text.empty() ? 0 : hash_of(text); }

/// Runs that are estimated together, finished and running ones.
struct Group {
  std::string program;  ///< Of the last run.
  std::vector<PastRun> runs;
  std::vector<SoFar> running;
  mutable Estimate cached, vouched;
  mutable std::unordered_map<std::uint64_t, Estimate> variants;  ///< Those queried so far.
  mutable bool stale = true, vouched_stale = true, disagrees = false;

  const Estimate& known(Kinship kinship) const {
    if (!std::exchange(stale, false)) return cached;
    cached = estimate(runs, running, kinship);
    disagrees = kinship == Kinship::same_job && variants_disagree(runs);
    variants.clear();
    return cached;
  }

  /// The variant's own estimate if variants differ and it ran before, else that of all runs.
  const Estimate& known(Kinship kinship, std::uint64_t variant) const {
    const Estimate& all = known(kinship);
    if (!disagrees) return all;
    const auto [own, is_new] = variants.try_emplace(variant);
    if (is_new) own->second = estimate_of_variant(runs, running, variant);
    return own->second.runs > 0 ? own->second : all;
  }

  bool has_run(std::uint64_t variant) const {
    return std::ranges::any_of(runs, [&](const PastRun& run) { return run.variant == variant; });
  }

  /// From finished runs that the governor measured itself.
  const Estimate& known_to_all(Kinship kinship) const {
    if (!std::exchange(vouched_stale, false)) return vouched;
    std::vector<PastRun> measured;
    std::ranges::copy_if(runs, std::back_inserter(measured),
                         [](const PastRun& run) { return run.seen_by == SeenBy::governor; });
    vouched = estimate(measured, {}, kinship);
    return vouched;
  }

  void add(const PastRun& run) {
    if (runs.size() == kSamplesPerKey) runs.erase(runs.begin());
    runs.push_back(run);
    stale = vouched_stale = true;
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

  template <typename Goes>
  bool drop_runs(const Goes& goes) {
    if (std::erase_if(runs, goes) == 0) return false;
    stale = vouched_stale = true;
    return true;
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

/// The entry whose last run ended longest ago; `groups` must not be empty.
Groups::iterator oldest_of(Groups& groups) {
  const auto age = [](const auto& entry) {
    if (!entry.second.running.empty()) return std::pair{1, std::int64_t{0}};
    return std::pair{0, entry.second.runs.back().ended};
  };
  return std::ranges::min_element(groups, {}, age);
}

/// Everything learned from one user's runs.
struct Shelf {
  Groups keys, programs;
  Group everything;
  Repeatability repeatability;  ///< From the runs of all keys.

  void add(const Sample& sample);
  void drop_oldest_key();
  void drop_oldest_program() { programs.erase(oldest_of(programs)); }
  void note(std::string_view key, std::string_view program, const SoFar& so_far);
  void drop_running(std::string_view key, std::string_view program, std::uint64_t run);
  template <typename Goes>
  bool drop_runs(const Goes& goes);
  bool empty() const { return everything.empty() && keys.empty() && programs.empty(); }
};

void Shelf::add(const Sample& sample) {
  const PastRun run{hash_of(sample.key), sample.ended, sample.outcome, sample.busy_cores,
                    sample.peak_memory,  sample.wall,  sample.seen_by, variant_of(sample.variant)};
  everything.add(run);
  if (!sample.program.empty()) at(programs, sample.program).add(run);
  if (sample.key.empty()) return;
  Group& group = at(keys, sample.key);
  repeatability.remove(Repeatability::evidence_of(group.runs));
  group.add(run);
  repeatability.add(Repeatability::evidence_of(group.runs));
  group.program = sample.program;
}

void Shelf::drop_oldest_key() {
  const auto oldest = oldest_of(keys);
  repeatability.remove(Repeatability::evidence_of(oldest->second.runs));
  keys.erase(oldest);
}

void Shelf::note(std::string_view key, std::string_view program, const SoFar& so_far) {
  everything.note(so_far);
  if (!key.empty()) at(keys, key).note(so_far);
  if (!program.empty()) at(programs, program).note(so_far);
}

void Shelf::drop_running(std::string_view key, std::string_view program, std::uint64_t run) {
  everything.drop_running(run);
  const auto drop = [&](Groups& groups, std::string_view name) {
    const auto group = groups.find(name);
    if (group != groups.end()) group->second.drop_running(run);
    drop_if_empty(groups, name);
  };
  drop(keys, key);
  drop(programs, program);
}

template <typename Goes>
bool Shelf::drop_runs(const Goes& goes) {
  for (auto& [name, group] : keys) {
    const auto before = Repeatability::evidence_of(group.runs);
    if (!group.drop_runs(goes)) continue;
    repeatability.remove(before);
    repeatability.add(Repeatability::evidence_of(group.runs));
  }
  for (auto& [name, group] : programs) group.drop_runs(goes);
  for (Groups* groups : {&keys, &programs}) {
    std::erase_if(*groups, [](const auto& entry) { return entry.second.empty(); });
  }
  return everything.drop_runs(goes);
}

using Shelves = std::unordered_map<std::string, Shelf, TextHash, std::equal_to<>>;

/// One rung, for lookup on any shelf.
struct RungPlace {
  Rung rung;
  Kinship kinship;
  std::size_t least;  ///< Minimum runs for an estimate.

  const Group* group(const Shelf& shelf, const JobRequest& job) const {
    if (rung == Rung::everything) return &shelf.everything;
    const bool by_key = rung == Rung::key;
    const std::string& name = by_key ? job.key : job.program;
    return name.empty() ? nullptr : find(by_key ? shelf.keys : shelf.programs, name);
  }
};

constexpr std::array kLadder{RungPlace{Rung::key, Kinship::same_job, 1},
                             RungPlace{Rung::program, Kinship::different_jobs, kRunsToSpeak},
                             RungPlace{Rung::everything, Kinship::different_jobs, kRunsToSpeak}};

/// A rung's knowledge about a job.
struct Known {
  Rung rung = Rung::prior;
  const Estimate* estimate = nullptr;            ///< Null if nothing.
  const Repeatability* repeatability = nullptr;  ///< Of the same user's jobs.
  bool vouched = false;  ///< By three runs, or by one of the job's own variant.
  bool is_own = false;   ///< From the same user's runs, or from those that teach everybody.
};

/// Runs of other jobs needed to expect less of a job than the prior. The first to end are the short
/// ones, which are usually small.
constexpr std::size_t kRunsToLower = 10;

/// Three runs suffice for a program that never held more than this part of the prior, if the brake
/// can suspend the job: `sleep`, `cp` or `curl` is small by nature, while no compiler is that small
/// even for an empty file.
constexpr std::uint64_t kSmallPart = 16;

/// A job that uses less than this part of a core does next to nothing but wait.
constexpr double kSleeper = 0.1;

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
    std::string user, key, program;
  };

  mutable std::mutex mutex;
  CostOptions cost;
  ReservationOptions reservation;
  std::shared_ptr<SampleStore> store;
  Bytes machine;
  Shelf common;    ///< Of the user "".
  Shelves others;  ///< By user.
  std::unordered_map<std::uint64_t, Names> running;

  bool is_believed(const Sample& sample) const;
  void add(const Sample& sample);
  void add_all(const std::vector<Sample>& samples);
  bool forget(const SampleFilter& which);
  void take_over(const StoreNews& news);
  void keep_bounds();
  Shelf* shelf_of(std::string_view user);
  const Shelf* shelf_of(std::string_view user) const;
  Shelf& shelf_for(const std::string& user);
  void drop_if_unused(std::string_view user);
  template <typename Visit>
  void each_shelf(Visit visit);
  Prediction predict(const JobRequest& job) const;
  Known known_of(const JobRequest& job) const;
  const Estimate* middle_of_others(const RungPlace& place, const JobRequest& job) const;
  /// Whether the prediction may be below the prior.
  bool may_lower(const JobRequest& job, const Known& known) const;
  MemoryNeed prior_of(const JobRequest& job) const;
  MemoryNeed prior_on(const Shelf& shelf, const JobRequest& job) const;
  Summary summary_of(std::string_view user, const std::string& key, const Group& group) const;
};

/// A job killed for memory is recorded with more than it held, but no job needs more than the
/// machine has.
bool History::State::is_believed(const Sample& sample) const {
  return sample.peak_memory <= machine;
}

Shelf* History::State::shelf_of(std::string_view user) {
  return const_cast<Shelf*>(std::as_const(*this).shelf_of(user));
}

const Shelf* History::State::shelf_of(std::string_view user) const {
  if (user.empty()) return &common;
  const auto found = others.find(user);
  return found == others.end() ? nullptr : &found->second;
}

Shelf& History::State::shelf_for(const std::string& user) {
  return user.empty() ? common : others[user];
}

void History::State::drop_if_unused(std::string_view user) {
  const auto found = others.find(user);
  if (found != others.end() && found->second.empty()) others.erase(found);
}

template <typename Visit>
void History::State::each_shelf(Visit visit) {
  visit(std::string_view(), common);
  for (auto& [user, shelf] : others) visit(std::string_view(user), shelf);
}

void History::State::add(const Sample& sample) {
  if (!is_believed(sample)) return;
  shelf_for(sample.user).add(sample);
  keep_bounds();
}

void History::State::keep_bounds() {
  while (common.keys.size() > kMostKeys) common.drop_oldest_key();
  while (common.programs.size() > kMostKeys) common.drop_oldest_program();
  if (others.size() > kMostUsers) {
    const auto age = [](const auto& entry) {
      const Group& all = entry.second.everything;
      if (!all.running.empty()) return std::pair{1, std::int64_t{0}};
      return std::pair{0, all.runs.empty() ? 0 : all.runs.back().ended};
    };
    others.erase(std::ranges::min_element(others, {}, age));
  }
  // At most one is too many, since this runs after each sample.
  const auto over = [&](Groups Shelf::*groups) -> Shelf* {
    std::size_t all = 0;
    for (const auto& [user, shelf] : others) all += (shelf.*groups).size();
    if (all <= kMostKeys) return nullptr;
    const auto size = [&](const auto& entry) { return (entry.second.*groups).size(); };
    return &std::ranges::max_element(others, {}, size)->second;
  };
  if (Shelf* const shelf = over(&Shelf::keys)) shelf->drop_oldest_key();
  if (Shelf* const shelf = over(&Shelf::programs)) shelf->drop_oldest_program();
}

void History::State::add_all(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) add(sample);
}

bool History::State::forget(const SampleFilter& which) {
  const std::uint64_t key = hash_of(which.key.value_or(""));
  const auto goes = [&](const PastRun& run) {
    return (!which.key || run.key == key) && (!which.since || run.ended >= *which.since);
  };
  bool any = false;
  each_shelf([&](std::string_view user, Shelf& shelf) {
    if (!which.user || *which.user == user) any |= shelf.drop_runs(goes);
  });
  std::erase_if(others, [](const auto& entry) { return entry.second.empty(); });
  return any;
}

void History::State::take_over(const StoreNews& news) {
  for (const SampleFilter& which : news.forgotten) forget(which);
  add_all(news.added);
}

Known History::State::known_of(const JobRequest& job) const {
  const Shelf* own = shelf_of(job.user);
  for (const RungPlace& place : kLadder) {
    for (const Shelf* shelf : {own, &common}) {
      const Group* group = shelf ? place.group(*shelf, job) : nullptr;
      if (!group) continue;
      const Estimate& known = group->known(place.kinship, variant_of(job.variant));
      if (known.runs < place.least) continue;
      const bool vouched = known.runs >= kRunsToSpeak || group->has_run(variant_of(job.variant));
      return {place.rung, &known, &shelf->repeatability, vouched, true};
    }
    if (const Estimate* known = middle_of_others(place, job)) {
      return {place.rung, known, &common.repeatability, true, false};
    }
  }
  return {};
}

/// The estimate with the median mean peak, the lower one of two: one vote for each user with enough
/// runs.
const Estimate* History::State::middle_of_others(const RungPlace& place,
                                                 const JobRequest& job) const {
  std::array<const Estimate*, kMostUsers + 1> votes{};
  std::size_t count = 0;
  for (const auto& [user, shelf] : others) {
    const Group* group = user == job.user ? nullptr : place.group(shelf, job);
    if (!group || count == votes.size()) continue;
    const Estimate& known = group->known_to_all(place.kinship);
    if (known.runs >= place.least) votes[count++] = &known;
  }
  if (count == 0) return nullptr;
  const std::span cast(votes.data(), count);
  const auto middle = cast.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::ranges::nth_element(cast, middle, {},
                           [](const Estimate* each) { return each->memory.mean; });
  return *middle;
}

bool History::State::may_lower(const JobRequest& job, const Known& known) const {
  const Estimate& runs = *known.estimate;
  // The numbers that distinguish it may be its size.
  if (known.rung == Rung::key) return known.vouched;
  if (known.rung != Rung::program) return false;
  const bool is_small = runs.largest.value <= reservation.prior.value / kSmallPart;
  return runs.runs >= kRunsToLower || (job.suspendable && is_small);
}

MemoryNeed History::State::prior_on(const Shelf& shelf, const JobRequest& job) const {
  const Group* alike = job.program.empty() ? &shelf.everything : find(shelf.programs, job.program);
  return guess(reservation.prior,
               alike ? std::span<const SoFar>(alike->running) : std::span<const SoFar>());
}

MemoryNeed History::State::prior_of(const JobRequest& job) const {
  const MemoryNeed need = prior_on(common, job);
  const Shelf* own = shelf_of(job.user);
  return own && own != &common ? larger_of(need, prior_on(*own, job)) : need;
}

Prediction History::State::predict(const JobRequest& job) const {
  Prediction result;
  const Known found = known_of(job);
  const Estimate* const known = found.estimate;
  result.rung = found.rung;
  const bool learned = result.rung != Rung::prior;
  const Points unknown = formula(cost, job.inventory.value_or(1));
  if (learned) {
    const Points points{std::llround(10 * std::min(known->cores, 1e7))};
    result.cost = std::clamp(points, *settle(cost, Law::adaptive).minimum, kMostPoints);
    if (result.rung != Rung::everything) result.cores = known->cores;
    const double cores = result.rung == Rung::key ? known->cores : known->most_cores;
    result.sleeps = found.is_own && result.rung != Rung::everything && cores < kSleeper &&
                    known->cpu_is_known && job.measured;
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
                   found.repeatability->deviation_after(known->runs) * result.memory->mean);
    }
    if (!may_lower(job, found) && job.measured) {
      result.memory = larger_of(*result.memory, prior_of(job));
    }
  } else if (job.measured) {
    result.memory = prior_of(job);
  }
  return result;
}

History::Summary History::State::summary_of(std::string_view user, const std::string& key,
                                            const Group& group) const {
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
  summary.next = predict(next);
  if (summary.next.memory) summary.memory_deviation = summary.next.memory->deviation;
  return summary;
}

Sample sample_of(const JobRequest& job, const JobUsage& used, SeenBy seen_by, Outcome outcome,
                 Bytes reserved, std::int64_t ended) {
  return {.key = job.key,
          .program = job.program,
          .ended = ended,
          .outcome = outcome,
          .busy_cores = used.busy_cores(),
          .peak_memory = remembered_peak(outcome, used.peak_memory, reserved),
          .wall = used.wall,
          .user = job.user,
          .seen_by = seen_by,
          .variant = job.variant};
}

History::History(CostOptions cost, ReservationOptions reservation,
                 std::shared_ptr<SampleStore> store, Bytes machine)
    : state_(std::make_unique<State>()) {
  state_->cost = std::move(cost);
  state_->reservation = std::move(reservation);
  state_->store = std::move(store);
  state_->machine = machine;
  if (state_->store) state_->add_all(state_->store->load());
}

History::~History() = default;

void History::configure(CostOptions cost, ReservationOptions reservation) {
  const std::lock_guard lock(state_->mutex);
  state_->cost = std::move(cost);
  state_->reservation = std::move(reservation);
}

void History::learn(Sample sample) {
  if (sample.outcome == Outcome::unknown) return;
  // A run killed for memory is recorded with more than it held.
  if (sample.outcome == Outcome::oom) {
    sample.peak_memory = std::min(sample.peak_memory, state_->machine);
  }
  StoreNews news;
  if (state_->store) {
    if (!sample.key.empty() && state_->is_believed(sample)) state_->store->add(sample);
    news = state_->store->news();
  }
  const std::lock_guard lock(state_->mutex);
  state_->take_over(news);
  state_->add(sample);
}

void History::refresh() {
  if (!state_->store) return;
  const StoreNews news = state_->store->news();
  state_->store->poll();
  if (news.forgotten.empty() && news.added.empty()) return;
  const std::lock_guard lock(state_->mutex);
  state_->take_over(news);
}

void History::running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far) {
  if (so_far.peak_memory > state_->machine) return;
  const std::lock_guard lock(state_->mutex);
  const State::Names& names =
      state_->running.try_emplace(run, State::Names{job.user, job.key, job.program}).first->second;
  state_->shelf_for(names.user)
      .note(names.key, names.program,
            {run, so_far.peak_memory, so_far.wall, variant_of(job.variant)});
}

void History::ended(std::uint64_t run) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->running.find(run);
  if (found == state_->running.end()) return;
  const State::Names names = std::move(found->second);
  state_->running.erase(found);
  Shelf* const shelf = state_->shelf_of(names.user);
  if (!shelf) return;
  shelf->drop_running(names.key, names.program, run);
  state_->drop_if_unused(names.user);
}

Prediction History::predict(const JobRequest& job) const {
  const std::lock_guard lock(state_->mutex);
  return state_->predict(job);
}

std::size_t History::runs_behind(const JobRequest& job) const {
  const std::lock_guard lock(state_->mutex);
  const Known known = state_->known_of(job);
  return known.estimate ? known.estimate->runs : 0;
}

std::vector<History::Summary> History::summaries() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Summary> result;
  state_->each_shelf([&](std::string_view user, const Shelf& shelf) {
    for (const auto& [key, group] : shelf.keys) {
      if (!group.runs.empty()) result.push_back(state_->summary_of(user, key, group));
    }
  });
  std::ranges::sort(result, {}, [](const Summary& each) { return std::tie(each.key, each.user); });
  return result;
}

std::vector<Sample> History::samples(std::string_view key, std::string_view user) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Sample> result;
  const Shelf* shelf = std::as_const(*state_).shelf_of(user);
  const Group* group = shelf ? find(shelf->keys, key) : nullptr;
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
                      .seen_by = run.seen_by});
  }
  return result;
}

bool History::forget(const SampleFilter& which) {
  bool any = false;
  {
    const std::lock_guard lock(state_->mutex);
    any = state_->forget(which);
  }
  if (any && state_->store) state_->store->forget(which);
  return any;
}

CostModel history_model(std::shared_ptr<const History> history) {
  return [history = std::move(history)](const JobRequest& job) { return history->predict(job); };
}

}  // namespace sluice
