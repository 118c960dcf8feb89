#include "costmodel/prediction_errors.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/seconds.h"

namespace sluice {
namespace {

/// Of a normal distribution: 95 % lie between minus and plus this.
constexpr double kNormal95 = 1.959964;

void add_ratio(std::vector<double>& ratios, double used, double expected) {
  if (used > 0 && expected > 0) ratios.push_back(used / expected);
}

double number_of(Bytes amount) { return static_cast<double>(amount.value); }

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

bool counts(const PredictedRun& run) {
  return run.outcome == Outcome::ok || run.outcome == Outcome::failed ||
         run.outcome == Outcome::oom;
}

}  // namespace

Interval wilson(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return {};
  const double n = static_cast<double>(of), rate = static_cast<double>(count) / n;
  const double z2 = kNormal95 * kNormal95;
  const double middle = rate + z2 / (2 * n);
  const double reach = kNormal95 * std::sqrt(rate * (1 - rate) / n + z2 / (4 * n * n));
  return {count == 0 ? 0 : (middle - reach) / (1 + z2 / n),
          count == of ? 1 : (middle + reach) / (1 + z2 / n)};
}

void KeptMemory::add(Bytes kept, Bytes peak, Outcome outcome, Duration held) {
  const bool is_killed = outcome == Outcome::oom;
  if (kept.value == 0 || (peak.value == 0 && !is_killed)) return;
  const bool is_above = is_killed || peak > kept;
  ++runs;
  above += is_above ? 1 : 0;
  byte_seconds += number_of(kept) * to_seconds(held);
  unused += is_above ? 0 : (number_of(kept) - number_of(peak)) * to_seconds(held);
}

void KeptMemory::add(const KeptMemory& others) {
  runs += others.runs;
  above += others.above;
  byte_seconds += others.byte_seconds;
  unused += others.unused;
}

bool PredictedRun::is_warm() const {
  return !key.empty() && earlier >= kWarm && expected_time > Duration{0};
}

Percentiles percentiles_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const auto at = [&](double part) {
    const double rank = std::ceil(part * static_cast<double>(numbers.size()));
    return numbers[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  return {at(0.05), at(0.5), at(0.95)};
}

void RunErrors::add(const PredictedRun& run) {
  ++runs;
  memory_kept.add(run.kept, run.peak, run.outcome, run.held);
  if (run.outcome == Outcome::oom) return;  // It was not seen to its end.
  add_ratio(memory, number_of(run.peak), number_of(run.expected_memory));
  add_ratio(cores, run.cores, run.expected_cores);
  add_ratio(time, to_seconds(run.wall), to_seconds(run.expected_time));
}

void RunErrors::add(const RunErrors& others) {
  runs += others.runs;
  memory_kept.add(others.memory_kept);
  append(memory, others.memory);
  append(cores, others.cores);
  append(time, others.time);
}

PredictionErrors errors_of(const std::vector<PredictedRun>& runs) {
  std::map<std::string, PredictionErrors::OfKey> by_key;
  PredictionErrors errors;
  for (const PredictedRun& run : runs) {
    if (!counts(run)) continue;
    PredictionErrors::OfKey& of_key = by_key[run.key];
    (run.is_warm() ? of_key.warm : of_key.cold).add(run);
    (run.is_warm() ? errors.warm : errors.cold).add(run);
  }
  for (auto& [key, of_key] : by_key) {
    of_key.key = key;
    errors.keys.push_back(std::move(of_key));
  }
  std::ranges::stable_sort(errors.keys, std::greater{}, [](const PredictionErrors::OfKey& each) {
    const KeptMemory& kept = each.warm.memory_kept;
    return std::tuple(kept.above, kept.unused, each.warm.runs + each.cold.runs);
  });
  return errors;
}

}  // namespace sluice
