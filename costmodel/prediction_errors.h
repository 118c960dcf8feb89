#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// A part of a whole, from `low` to `high`.
struct Interval {
  double low = 0, high = 1;
};

/// Where the true rate of something lies that was seen `count` times in `of`, with 95 % confidence
/// (Wilson's score interval, which holds for rare events and few runs, too).
Interval wilson(std::uint64_t count, std::uint64_t of);

/// The memory that was kept for finished runs, and how much of it they used.
struct KeptMemory {
  std::uint64_t runs = 0;
  std::uint64_t above = 0;  ///< Their peak was above it, or they were killed for memory.
  double byte_seconds = 0;
  double unused = 0;  ///< The part of these above the peaks.

  /// Counts a run for which `kept` was kept for so long. Nothing if none was kept, or if its peak
  /// is unknown.
  void add(Bytes kept, Bytes peak, Outcome outcome, Duration held);
  void add(const KeptMemory& others);
};

/// A finished run, with what was expected of it at its start. 0 is unknown.
struct PredictedRun {
  std::string key;
  std::size_t earlier = 0;  ///< Runs of this key that were measured before it began.
  Outcome outcome = Outcome::ok;
  Bytes expected_memory, peak;
  Duration expected_time{0}, wall{0};
  double expected_cores = 0, cores = 0;
  Bytes kept;        ///< 0 if no memory was kept for it.
  Duration held{0};  ///< How long it was kept.

  /// So many runs of a key show its own spread.
  static constexpr std::size_t kWarm = 3;
  /// Predicted by at least as many runs of its own key.
  bool is_warm() const;
};

/// A middle and the borders of nine tenths.
struct Percentiles {
  double p5 = 0, median = 0, p95 = 0;
};
/// Of at least one number.
Percentiles percentiles_of(std::vector<double> numbers);

/// How far predictions were off, of several runs.
struct RunErrors {
  std::uint64_t runs = 0;
  KeptMemory memory_kept;
  std::vector<double> memory, cores, time;  ///< Used by expected, where known.

  void add(const PredictedRun& run);
  void add(const RunErrors& others);
};

/// The errors of predictions by key, and of cold and warm runs apart.
struct PredictionErrors {
  struct OfKey {
    std::string key;
    RunErrors warm, cold;
  };

  /// Sorted, largest first, by the number of warm runs above the memory kept for them, then by the
  /// memory that warm runs left unused, then by the number of runs.
  std::vector<OfKey> keys;
  RunErrors warm, cold;
};

/// Counts `Outcome::ok`, `failed` and `oom`: other runs do not show what they need. Pure.
PredictionErrors errors_of(const std::vector<PredictedRun>& runs);

}  // namespace sluice
