#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "costmodel/memory_course.h"
#include "sluice/cpu_profile.h"
#include "sluice/job.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

namespace sluice {

// Predicts the next run from past ones: pure arithmetic on values. docs/history.md explains it with
// figures.

/// The source of a run's figures: the client that held its lease, or the governor's own process.
enum class SeenBy { client, governor };

/// One past run, without its names.
struct PastRun {
  std::uint64_t key = 0;  ///< Distinguishes the runs of one key from those of another.
  std::int64_t ended = 0;
  Outcome outcome = Outcome::ok;
  double busy_cores = 0;
  Bytes peak_memory;
  Duration wall{0};
  SeenBy seen_by = SeenBy::client;
  std::uint64_t variant = 0;  ///< Of its key; 0 if none or unknown.
  /// Null if unknown, and for all but the last runs of a group.
  std::shared_ptr<const CpuProfile> profile = nullptr;
  std::shared_ptr<const MemoryCourse> memory = nullptr;  ///< Null if unknown.
};

/// The use of a running job so far.
struct SoFar {
  std::uint64_t run = 0;  ///< Identifies the run.
  Bytes peak_memory;
  Duration wall{0};
  std::uint64_t variant = 0;  ///< Of its key; 0 if none.
};

/// Whether runs are of one and the same job or of different ones.
enum class Kinship { same_job, different_jobs };

/// The prediction for the next run, from some past ones.
struct Estimate {
  std::size_t runs = 0;  ///< Runs with a final figure, not just "at least this much".
  /// `z` deviations are reserved on top of the mean. With fewer than three runs the deviation is
  /// only the observed one; add the general repeatability of jobs (repeatability.h).
  MemoryNeed memory;
  Bytes largest;          ///< Largest peak of all, running ones included.
  double cores = 0;       ///< Busy cores on average.
  double most_cores = 0;  ///< Of the busiest run.
  /// CPU time of all runs, the old ones too, divided by their time: the cores that one needs at any
  /// instant, of jobs that take turns.
  double cores_in_turn = 0;
  bool cpu_is_known = true;  ///< No run used none at all: some holders report memory only.
  Duration wall{0};
  /// Of the last `kRunsWithProfile` runs, at each time the most; empty if none has one, or if they
  /// are runs of different jobs.
  CpuProfile profile = {};
  /// The longest ramp of these runs; nullopt if none has a profile.
  std::optional<Duration> ramp = {};
  /// The most that any of these runs needed later than in its first second, see cpu_profile.h;
  /// nullopt if none has a profile.
  std::optional<double> late_cores = {};
  /// The runs are of one job that has not changed of late, see docs/history.md.
  bool is_steady = false;
};

/// Older runs say less about when a job does what than about how much it needs.
inline constexpr std::size_t kRunsWithProfile = 5;

/// A value that is not final: "at least this much".
struct AtLeast {
  double value = 0;
  double weight = 1;  ///< > 0
};

/// Minimum runs for a prediction from different jobs, and for a job's own runs to define their
/// spread.
inline constexpr std::size_t kLeastRuns = 3;

/// `runs`: oldest first. `running` counts for memory and wall time as "at least this much": an
/// addition or growth there never lowers the memory's mean, its deviation or the wall time.
/// Cancelled runs count the same way, and failed ones if others succeeded: a job that stops at the
/// first error needs little.
Estimate estimate(std::span<const PastRun> runs, std::span<const SoFar> running, Kinship kinship);

/// The same before any run has finished: a guess with the weight of one run and a deviation of half
/// its value.
MemoryNeed guess(Bytes prior, std::span<const SoFar> running);

/// How the memory of a steady job grows, from its last runs that ended well; null if too few are
/// known.
std::shared_ptr<const MemoryProfile> growth_of(std::span<const PastRun> runs);

/// The weighted mean of `mean`, which weighs `weight`, and those of `at_least` that raise it: the
/// largest mean of any choice of them. A maximum of means can only rise when a value rises or is
/// added. Sorts `at_least`.
double raised_mean(double mean, double weight, std::span<AtLeast> at_least);

/// The weight of the `age`th newest run; 1 for the newest (0), falling.
double weight_of(std::size_t age, Kinship kinship);

/// The value that Student's t stays below in 99 of 100 cases, for `freedom` >= 1 degrees of
/// freedom; three digits, interpolated in 1 / freedom.
double student_t99(double freedom);

/// The factor for the deviation of `n` samples such that 2.33 times the product covers 99 of 100
/// future values: sqrt(1 + 1/n) x t(0.99, n - 1) / 2.33. `n` > 1, may be a fraction.
/// Source: the prediction interval of a normal distribution with estimated mean and deviation, e.g.
/// Whitmore, "Prediction limits for a univariate normal observation", 1986.
double widening(double n);

/// The peak to record for a run: if it was killed for memory, at least 1.5 times its reservation,
/// because nobody saw how far it would have grown.
Bytes remembered_peak(Outcome outcome, Bytes observed, Bytes reserved);

}  // namespace sluice
