#include "costmodel/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace sluice {
namespace {

/// A job's last five runs count in full, each earlier one half as much as the next: five runs are
/// more than 80 % of the total weight, so the estimate follows a doubled job within five runs.
constexpr std::size_t kFullRuns = 5;
/// Runs of different jobs fade slowly: the last few rarely resemble the next.
constexpr double kFading = 0.98;

/// Minimum deviation as a part of the mean. Runs of one job repeat to within a percent; a larger
/// floor would separate two jobs that fit beside each other.
constexpr double kLeastOfSame = 0.03;
constexpr double kOfGuess = 0.5;
/// Weight of the assumption that different jobs vary as much as a guess.
constexpr double kWeightOfGuess = 2;

constexpr double kZ = 2.33;  ///< 99 of 100 normal values are below mean + z deviations.

struct Weighted {
  double value = 0;
  double weight = 0;
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
      values.known.push_back({value, weight_of(values.known.size(), kinship)});
    } else {
      values.at_least.push_back({value, weight_of(values.at_least.size(), kinship)});
    }
  }
  return values;
}

double bytes(Bytes bytes) { return static_cast<double>(bytes.value); }

MemoryNeed memory_need(Values values, Kinship kinship) {
  const Moments moments = moments_of(values.known);
  const double spread = std::sqrt(raised_variance(moments, values.at_least));
  MemoryNeed need;
  need.mean = raised_mean(moments.mean, moments.weight, values.at_least);
  if (values.known.size() < kRunsToSpeak) {
    need.deviation = spread;
    return need;
  }
  if (kinship == Kinship::same_job) {
    need.deviation = std::max(spread * widening(moments.n), kLeastOfSame * need.mean);
  } else {
    const double guessed = kOfGuess * need.mean;
    need.deviation =
        std::sqrt((kWeightOfGuess * guessed * guessed + (moments.n - 1) * spread * spread) /
                  (kWeightOfGuess + moments.n - 1));
  }
  return need;
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
  for (const PastRun& run : runs) {
    result.most_cores = std::max(result.most_cores, run.busy_cores);
    result.cpu_is_known = result.cpu_is_known && run.busy_cores > 0;
  }
  result.cores = moments_of(cores.known).mean;
  result.memory = memory_need(std::move(memory), kinship);
  return result;
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
