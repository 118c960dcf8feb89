#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/job.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

namespace sluice {

// What runs say about the next one: pure arithmetic, on values alone. docs/history.md tells the
// same with figures.

/// Who saw what a run used: the client that held its lease, or the governor's own process.
enum class SeenBy { client, governor };

/// One run, without its names.
struct PastRun {
  std::uint64_t key = 0;  ///< Tells the runs of one key from those of another.
  std::int64_t ended = 0;
  Outcome outcome = Outcome::ok;
  double busy_cores = 0;
  Bytes peak_memory;
  Duration wall{0};
  SeenBy seen_by = SeenBy::client;
  std::uint64_t variant = 0;  ///< Of its key; 0: none, or not known.
};

/// What a job that still runs has needed so far.
struct SoFar {
  std::uint64_t run = 0;  ///< Whose.
  Bytes peak_memory;
  Duration wall{0};
  std::uint64_t variant = 0;  ///< Of its key; 0: none.
};

/// Whose runs they are: of one and the same job, or of different ones.
enum class Kinship { same_job, different_jobs };

/// What some runs say about the next.
struct Estimate {
  std::size_t runs = 0;  ///< That say what a run needs, and not only "at least this much".
  /// Deviation: `z` times it is kept on top of the mean. Of fewer than three runs it is what was
  /// seen and no more; how well jobs repeat (repeatability.h) has to come on top.
  MemoryNeed memory;
  Bytes largest;     ///< Peak of any of them, running ones included.
  double cores = 0;  ///< Busy on average.
  Duration wall{0};
};

/// A value that is not final: "at least this much".
struct AtLeast {
  double value = 0;
  double weight = 1;  ///< > 0
};

/// From how many runs on those of different jobs may speak, and those of one speak for their
/// spread.
inline constexpr std::size_t kRunsToSpeak = 3;

/// `runs`: oldest first. `running` counts for memory and wall time, as "at least this much": what
/// is added to it, or grows in it, never makes any of the memory's mean, its deviation or the wall
/// time smaller. Runs that were cancelled count like that too, and failed ones where others went
/// well: who stops at the first error needs little.
Estimate estimate(std::span<const PastRun> runs, std::span<const SoFar> running, Kinship kinship);

/// The same where nobody finished yet: a guess, with a deviation of half of it, that weighs as
/// much as one run.
MemoryNeed guess(Bytes prior, std::span<const SoFar> running);

/// The mean of what weighs `weight` and is `mean` on average, and of those of `at_least` that
/// raise it: the largest mean that any choice of them gives. As a maximum of means it can only rise
/// when a value rises or one is added. Sorts `at_least`.
double raised_mean(double mean, double weight, std::span<AtLeast> at_least);

/// How much a run counts that is the `age`th newest; 1 for the newest (0), falling.
double weight_of(std::size_t age, Kinship kinship);

/// The value that Student's t stays below in 99 cases of 100, for `freedom` >= 1 degrees of
/// freedom; to three digits, in between interpolated in 1 / freedom.
double student_t99(double freedom);

/// What a deviation of `n` samples is multiplied with, so that 2.33 times the product covers 99 in
/// 100 of what comes next: sqrt(1 + 1/n) x t(0.99, n - 1) / 2.33. `n` > 1, perhaps a fraction.
/// Source: the prediction interval of a normal distribution of which mean and deviation are
/// estimated, e.g. Whitmore, "Prediction limits for a univariate normal observation", 1986.
double widening(double n);

/// The peak that is remembered of a run: of one that was killed for memory at least 1.5 times what
/// was kept for it, because nobody saw what it would have grown to.
Bytes remembered_peak(Outcome outcome, Bytes observed, Bytes reserved);

}  // namespace sluice
