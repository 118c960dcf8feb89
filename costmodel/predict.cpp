#include "costmodel/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "costmodel/formula.h"

namespace sluice {
namespace {

/// One rung, for lookup among any user's runs.
struct LadderRung {
  Rung rung;
  Kinship kinship;
  std::size_t least;  ///< Minimum runs for an estimate.

  const RunGroup* group(const UserRuns& user, const JobRequest& job) const {
    if (rung == Rung::everything) return &user.everything;
    const bool by_key = rung == Rung::key;
    const std::string& name = by_key ? job.key : job.program;
    return name.empty() ? nullptr : find(by_key ? user.keys : user.programs, name);
  }
};

constexpr std::array kLadder{LadderRung{Rung::key, Kinship::same_job, 1},
                             LadderRung{Rung::program, Kinship::different_jobs, kRunsToSpeak},
                             LadderRung{Rung::everything, Kinship::different_jobs, kRunsToSpeak}};

/// A rung's knowledge about a job.
struct Known {
  Rung rung = Rung::prior;
  const Estimate* estimate = nullptr;            ///< Null if nothing.
  const Repeatability* repeatability = nullptr;  ///< Of the same user's jobs.
  bool vouched = false;  ///< By three runs, or by one of the job's own variant.
  std::shared_ptr<const MemoryProfile> growth = nullptr;
  bool is_own = false;  ///< From the same user's runs, or from those that teach everybody.
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

/// The estimate with the median mean peak, the lower one of two: one vote for each user with enough
/// runs.
const Estimate* middle_of_others(const RunsByUser& runs, const LadderRung& rung,
                                 const JobRequest& job) {
  std::array<const Estimate*, kMostUsers + 1> votes{};
  std::size_t count = 0;
  for (const auto& [name, user] : runs.others()) {
    const RunGroup* group = name == job.user ? nullptr : rung.group(user, job);
    if (!group || count == votes.size()) continue;
    const Estimate& known = group->known_to_all(rung.kinship);
    if (known.runs >= rung.least) votes[count++] = &known;
  }
  if (count == 0) return nullptr;
  const std::span cast(votes.data(), count);
  const auto middle = cast.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::ranges::nth_element(cast, middle, {},
                           [](const Estimate* each) { return each->memory.mean; });
  return *middle;
}

Known known_of(const RunsByUser& runs, const JobRequest& job) {
  const std::uint64_t variant = variant_hash(job.variant);
  for (const LadderRung& rung : kLadder) {
    for (const UserRuns* user : {runs.find(job.user), &runs.common()}) {
      const RunGroup* group = user ? rung.group(*user, job) : nullptr;
      if (!group) continue;
      const Estimate& known = group->known(rung.kinship, variant);
      if (known.runs < rung.least) continue;
      const bool vouched = known.runs >= kRunsToSpeak || group->has_run(variant);
      const auto growth = rung.rung == Rung::key ? group->growth(rung.kinship) : nullptr;
      return {rung.rung, &known, &user->repeatability, vouched, growth, true};
    }
    if (const Estimate* known = middle_of_others(runs, rung, job)) {
      return {rung.rung, known, &runs.common().repeatability, true, nullptr, false};
    }
  }
  return {};
}

/// Whether the prediction may be below the prior.
bool may_lower(Bytes prior, const JobRequest& job, const Known& known) {
  const Estimate& runs = *known.estimate;
  // The numbers that distinguish it may be its size.
  if (known.rung == Rung::key) return known.vouched;
  if (known.rung != Rung::program) return false;
  const bool is_small = runs.largest.value <= prior.value / kSmallPart;
  return runs.runs >= kRunsToLower || (job.suspendable && is_small);
}

MemoryNeed prior_on(const UserRuns& user, Bytes prior, const JobRequest& job) {
  const RunGroup* alike = job.program.empty() ? &user.everything : find(user.programs, job.program);
  return guess(prior, alike ? std::span<const SoFar>(alike->running) : std::span<const SoFar>());
}

MemoryNeed prior_of(const RunsByUser& runs, Bytes prior, const JobRequest& job) {
  const MemoryNeed need = prior_on(runs.common(), prior, job);
  const UserRuns* own = runs.find(job.user);
  return own && own != &runs.common() ? larger_of(need, prior_on(*own, prior, job)) : need;
}

}  // namespace

Prediction predict(const RunsByUser& runs, const CostOptions& cost,
                   const ReservationOptions& reservation, const JobRequest& job) {
  Prediction result;
  const Known found = known_of(runs, job);
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
                    known->late_cores.value_or(0) < kSleeper && known->cpu_is_known && job.measured;
    // As for `sleeps`: no other user vouches for it, nor do runs whose CPU time nobody knows.
    const bool is_vouched = found.is_own && known->cpu_is_known && job.measured;
    if (result.rung != Rung::everything && is_vouched) {
      result.ramp = known->ramp;
      result.late_cores = known->late_cores;
    }
    if (result.rung == Rung::key && is_vouched) result.profile = known->profile;
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
    if (job.measured) result.growth = found.growth;
    if (result.rung == Rung::key && known->runs < kRunsToSpeak) {
      result.memory->deviation =
          std::max(result.memory->deviation,
                   found.repeatability->deviation_after(known->runs) * result.memory->mean);
    }
    if (!may_lower(reservation.prior, job, found) && job.measured) {
      result.memory = larger_of(*result.memory, prior_of(runs, reservation.prior, job));
    }
  } else if (job.measured) {
    result.memory = prior_of(runs, reservation.prior, job);
  }
  return result;
}

std::size_t runs_behind(const RunsByUser& runs, const JobRequest& job) {
  const Known known = known_of(runs, job);
  return known.estimate ? known.estimate->runs : 0;
}

}  // namespace sluice
