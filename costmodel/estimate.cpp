#include "costmodel/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "base/seconds.h"
#include "costmodel/cpu_profile.h"
#include "costmodel/variants.h"

namespace sluice {
namespace {

/// A job's last five runs count in full, each earlier one half as much as the next: five runs are
/// more than 80 % of the total weight, so the estimate follows a doubled job within five runs.
constexpr std::size_t kFullRuns = 5;
/// Runs before these needed to know whether the last ones are like them.
constexpr std::size_t kRunsBefore = 5;
/// Twice the deviation of those before is exceeded by five like runs in about one of 100 cases (the
/// F distribution with 4 and many degrees of freedom).
constexpr double kTimesWider = 2;
/// Runs of different jobs fade slowly: the last few rarely resemble the next.
constexpr double kFading = 0.98;

/// Minimum deviation as a part of the mean. Runs of one job repeat to within a percent; a larger
/// floor would separate two jobs that fit beside each other.
constexpr double kLeastOfSame = 0.03;
constexpr double kOfGuess = 0.5;
/// Weight of the assumption that different jobs vary as much as a guess.
constexpr double kWeightOfGuess = 2;

/// Runs whose largest says something about the next one: it exceeds that once in 21 cases.
constexpr std::size_t kRunsToBound = 20;
/// The bound lies above the largest run by this part of its distance from the mean. Of 20 normal
/// runs it is then exceeded by one in 100 next ones, of 50 by one in 500.
constexpr double kBeyondLargest = 0.5;

/// Runs that say when a job holds how much.
constexpr std::size_t kLeastCourses = 10, kMostCourses = 25;

constexpr double kZ = 2.33;  ///< 99 of 100 normal values are below mean + z deviations.

struct Weighted {
  double value = 0;
  double weight = 0;
  Outcome outcome = Outcome::ok;
};

/// Final values, and lower bounds.
struct Values {
  std::vector<Weighted> known;
  std::vector<AtLeast> at_least;
};

struct Moments {
  double mean = 0;
  double variance = 0;  ///< Of the population, unbiased; 0 for a single value.
  double weight = 0;
  double n = 0;  ///< Kish's effective number: (sum of weights)^2 / sum of squares.
};

Moments moments_of(const std::vector<Weighted>& values) {
  Moments result;
  double squares = 0;
  for (const Weighted& each : values) {
    result.weight += each.weight;
    squares += each.weight * each.weight;
    result.mean += each.weight * each.value;
  }
  if (result.weight <= 0) return result;
  result.mean /= result.weight;
  result.n = result.weight * result.weight / squares;
  if (values.size() < 2) return result;
  double sum = 0;
  for (const Weighted& each : values) {
    sum += each.weight * (each.value - result.mean) * (each.value - result.mean);
  }
  result.variance = sum / result.weight * result.n / (result.n - 1);
  return result;
}

/// The variance with the contribution of values that are not final: their squared distance above
/// the mean of the final ones, never below it. Raised like a mean, so it cannot fall either.
double raised_variance(const Moments& moments, std::vector<AtLeast> at_least) {
  for (AtLeast& each : at_least) {
    const double above = std::max(0.0, each.value - moments.mean);
    each.value = above * above;
  }
  return raised_mean(moments.variance, moments.weight, at_least);
}

bool is_final(const PastRun& run, std::span<const PastRun> all) {
  if (run.outcome == Outcome::cancelled) return false;
  if (run.outcome != Outcome::failed) return true;
  return std::none_of(all.begin(), all.end(), [](const PastRun& each) {
    return each.outcome == Outcome::ok || each.outcome == Outcome::oom;
  });
}

template <typename ValueOf>
Values values_of(std::span<const PastRun> runs, Kinship kinship, ValueOf value_of) {
  Values values;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const double value = value_of(*run);
    if (is_final(*run, runs)) {
      values.known.push_back({value, weight_of(values.known.size(), kinship), run->outcome});
    } else {
      values.at_least.push_back({value, weight_of(values.at_least.size(), kinship)});
    }
  }
  return values;
}

double bytes(Bytes bytes) { return static_cast<double>(bytes.value); }

bool is_whole(const Weighted& run) { return run.outcome != Outcome::oom; }

/// Whether the last runs of a job, newest first, are like those before, by their mean and spread,
/// and none was killed. A job that has changed is not for its next ten runs.
bool is_steady(const std::vector<Weighted>& known) {
  if (known.size() < kFullRuns + kRunsBefore) return false;
  const auto split = known.begin() + kFullRuns;
  const std::vector<Weighted> last(known.begin(), split);
  std::vector<Weighted> before;
  std::copy_if(split, known.end(), std::back_inserter(before), is_whole);
  if (!std::ranges::all_of(last, is_whole) || before.size() < kRunsBefore) return false;
  for (Weighted& each : before) each.weight = 1;
  const Moments now = moments_of(last), then = moments_of(before);
  const double spread = std::max(std::sqrt(then.variance), kLeastOfSame * then.mean);
  const double differs = student_t99(then.n - 1) * spread * std::sqrt(1 / now.n + 1 / then.n);
  return std::abs(now.mean - then.mean) <= differs &&
         std::sqrt(now.variance) <= kTimesWider * spread;
}

/// All whole runs of a steady job count in full. The memory kept for a killed one fades.
void count_all(std::vector<Weighted>& known) {
  for (Weighted& each : known) each.weight = is_whole(each) ? 1 : each.weight;
}

/// No whole run exceeds the largest; the next does once in n + 1 cases, whatever the distribution,
/// and the bound beyond it hardly ever. Infinite if there are too few runs, or if one that has not
/// ended refutes it.
double most_of(const Values& values, double mean) {
  double largest = 0;
  std::size_t count = 0;
  for (const Weighted& each : values.known) {
    if (!is_whole(each)) continue;
    largest = std::max(largest, each.value);
    ++count;
  }
  const bool is_refuted = std::ranges::any_of(
      values.at_least, [&](const AtLeast& each) { return each.value > largest; });
  if (count < kRunsToBound || is_refuted) return std::numeric_limits<double>::infinity();
  return largest + kBeyondLargest * std::max(0.0, largest - mean);
}

/// Needs are above 0, so that the largest are further above the mean than the smallest are below
/// it. The deviation with which mean + 2.33 deviations is the 99th percentile of a lognormal
/// distribution of this mean and deviation; for small ones about the same.
double widened_to_lognormal(double deviation, double mean) {
  if (deviation <= 0 || mean <= 0) return deviation;
  const double relative = deviation / mean;
  const double log_deviation = std::sqrt(std::log1p(relative * relative));
  const double percentile = std::expm1(log_deviation * (kZ - log_deviation / 2));
  return std::max(deviation, mean * percentile / kZ);
}

/// Runs of variants that need different amounts say little about the next variant.
bool are_alike(std::span<const PastRun> runs, Kinship kinship) {
  return kinship == Kinship::same_job && !variants_disagree(runs);
}

MemoryNeed memory_need(Values values, Kinship kinship, bool steady) {
  if (steady) count_all(values.known);
  const Moments moments = moments_of(values.known);
  const double spread = std::sqrt(raised_variance(moments, values.at_least));
  MemoryNeed need;
  need.mean = raised_mean(moments.mean, moments.weight, values.at_least);
  if (std::ranges::none_of(values.known, is_whole)) {
    need.deviation = std::max(spread, kOfGuess * need.mean);
    return need;
  }
  if (values.known.size() < kLeastRuns) {
    need.deviation = spread;
    return need;
  }
  if (kinship == Kinship::same_job) {
    const double skewed = widened_to_lognormal(spread, moments.mean);
    need.deviation = std::max(skewed * widening(moments.n), kLeastOfSame * need.mean);
    if (steady) need.most = std::max(most_of(values, moments.mean), need.mean);
  } else {
    const double guessed = kOfGuess * need.mean;
    need.deviation =
        std::sqrt((kWeightOfGuess * guessed * guessed + (moments.n - 1) * spread * spread) /
                  (kWeightOfGuess + moments.n - 1));
  }
  return need;
}

void add_profiles(std::span<const PastRun> runs, Kinship kinship, Estimate& result) {
  std::array<const CpuProfile*, kRunsWithProfile> last{};
  std::size_t count = 0;
  for (auto run = runs.rbegin(); run != runs.rend() && count < last.size(); ++run) {
    // A run that was cut short says nothing about what would have come.
    if (run->profile && is_final(*run, runs)) last[count++] = run->profile.get();
  }
  for (const CpuProfile* profile : std::span(last.data(), count)) {
    result.ramp = std::max(result.ramp.value_or(Duration{0}), ramp_of(*profile));
    result.late_cores = std::max(result.late_cores.value_or(0), sluice::late_cores(*profile));
  }
  if (count == 0 || kinship == Kinship::different_jobs) return;
  result.profile = envelope(std::span(last.data(), count));
}

}  // namespace

Estimate estimate(std::span<const PastRun> runs, std::span<const SoFar> running, Kinship kinship) {
  Values memory =
      values_of(runs, kinship, [](const PastRun& run) { return bytes(run.peak_memory); });
  Values wall = values_of(runs, kinship,
                          [](const PastRun& run) { return static_cast<double>(run.wall.count()); });
  const Values cores = values_of(runs, kinship, [](const PastRun& run) { return run.busy_cores; });
  Estimate result;
  result.runs = memory.known.size();
  if (result.runs == 0) return result;
  for (const PastRun& run : runs) result.largest = std::max(result.largest, run.peak_memory);
  for (const SoFar& each : running) result.largest = std::max(result.largest, each.peak_memory);
  for (const SoFar& each : running) {
    memory.at_least.push_back({bytes(each.peak_memory), 1});
    wall.at_least.push_back({static_cast<double>(each.wall.count()), 1});
  }
  const Moments walls = moments_of(wall.known);
  result.wall = Duration(std::llround(raised_mean(walls.mean, walls.weight, wall.at_least)));
  double cpu = 0, whole = 0;
  for (const PastRun& run : runs) {
    result.most_cores = std::max(result.most_cores, run.busy_cores);
    result.cpu_is_known = result.cpu_is_known && run.busy_cores > 0;
    cpu += run.busy_cores * to_seconds(run.wall);
    whole += to_seconds(run.wall);
  }
  if (whole > 0) result.cores_in_turn = cpu / whole;
  result.cores = moments_of(cores.known).mean;
  result.is_steady = are_alike(runs, kinship) && is_steady(memory.known);
  result.memory = memory_need(std::move(memory), kinship, result.is_steady);
  add_profiles(runs, kinship, result);
  return result;
}

std::shared_ptr<const MemoryProfile> growth_of(std::span<const PastRun> runs) {
  std::vector<const MemoryCourse*> courses;
  for (auto run = runs.rbegin(); run != runs.rend() && courses.size() < kMostCourses; ++run) {
    // A run that stopped early does not show when memory is given back.
    if (run->memory && run->outcome == Outcome::ok) courses.push_back(run->memory.get());
  }
  if (courses.size() < kLeastCourses) return nullptr;
  return std::make_shared<const MemoryProfile>(profile_of(courses));
}

MemoryNeed guess(Bytes prior, std::span<const SoFar> running) {
  const Moments moments{bytes(prior), 0, 1, 1};
  std::vector<AtLeast> at_least;
  for (const SoFar& each : running) at_least.push_back({bytes(each.peak_memory), 1});
  const double spread = std::sqrt(raised_variance(moments, at_least));
  const double mean = raised_mean(moments.mean, moments.weight, at_least);
  return {mean, std::max(spread, kOfGuess * mean)};
}

double raised_mean(double mean, double weight, std::span<AtLeast> at_least) {
  std::ranges::sort(at_least, std::greater{}, &AtLeast::value);
  double sum = mean * weight;
  double result = mean;
  for (const AtLeast& each : at_least) {
    if (each.value <= result) break;
    sum += each.value * each.weight;
    weight += each.weight;
    result = std::max(result, sum / weight);
  }
  return result;
}

double weight_of(std::size_t age, Kinship kinship) {
  if (kinship == Kinship::different_jobs) return std::pow(kFading, static_cast<double>(age));
  return age < kFullRuns ? 1.0 : std::ldexp(1.0, -static_cast<int>(age - kFullRuns + 1));
}

double student_t99(double freedom) {
  struct Row {
    double freedom, t;
  };
  static constexpr std::array<Row, 34> kRows{
      {{1, 31.821}, {2, 6.965},  {3, 4.541},  {4, 3.747},  {5, 3.365},   {6, 3.143},  {7, 2.998},
       {8, 2.896},  {9, 2.821},  {10, 2.764}, {11, 2.718}, {12, 2.681},  {13, 2.650}, {14, 2.624},
       {15, 2.602}, {16, 2.583}, {17, 2.567}, {18, 2.552}, {19, 2.539},  {20, 2.528}, {21, 2.518},
       {22, 2.508}, {23, 2.500}, {24, 2.492}, {25, 2.485}, {26, 2.479},  {27, 2.473}, {28, 2.467},
       {29, 2.462}, {30, 2.457}, {40, 2.423}, {60, 2.390}, {120, 2.358}, {1e9, 2.326}}};
  if (freedom <= kRows.front().freedom) return kRows.front().t;
  if (freedom >= kRows.back().freedom) return kRows.back().t;
  const auto above = std::ranges::upper_bound(kRows, freedom, {}, &Row::freedom);
  const Row& low = *std::prev(above);
  const double part = (1 / low.freedom - 1 / freedom) / (1 / low.freedom - 1 / above->freedom);
  return low.t + part * (above->t - low.t);
}

double widening(double n) { return std::sqrt(1 + 1 / n) * student_t99(n - 1) / kZ; }

Bytes remembered_peak(Outcome outcome, Bytes observed, Bytes reserved) {
  if (outcome != Outcome::oom) return observed;
  return std::max(observed, Bytes{reserved.value + reserved.value / 2});
}

}  // namespace sluice
