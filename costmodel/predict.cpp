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
                             LadderRung{Rung::program, Kinship::different_jobs, kLeastRuns},
                             LadderRung{Rung::everything, Kinship::different_jobs, kLeastRuns}};

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
      const bool vouched = known.runs >= kLeastRuns || group->has_run(variant);
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

/// Predicts CPU use from earlier runs. If their CPU time is unknown, or they are another user's,
/// they set the cost, but do not show that the job sleeps or when it computes. `result.cost` is the
/// formula's.
void predict_cpu(const Known& found, const CostOptions& cost, const JobRequest& job,
                 Prediction& result) {
  const Estimate& known = *found.estimate;
  // The last runs of a build say how it ends, not how the next one begins.
  const double mean = job.takes_turns ? std::max(known.cores, known.cores_in_turn) : known.cores;
  const Points points{std::llround(10 * std::min(mean, 1e7))};
  const Points least = *settle(cost, Law::adaptive).minimum;
  result.least_cost = found.rung == Rung::everything ? std::max(result.cost, least) : least;
  result.cost = std::clamp(points, *result.least_cost, kMostPoints);
  result.duration = known.wall;
  if (found.rung == Rung::everything) return;
  result.cores = mean;
  if (!found.is_own || !known.cpu_is_known || !job.measured) return;
  const bool is_one_job = found.rung == Rung::key && !job.takes_turns;
  const double cores = is_one_job ? mean : known.most_cores;
  result.sleeps = cores < kAsleepCores && known.late_cores.value_or(0) < kAsleepCores;
  result.ramp = known.ramp;
  result.late_cores = known.late_cores;
  if (found.rung == Rung::key) result.profile = known.profile;
}

/// The memory expected from earlier runs: at least the prior, unless they may lower it.
MemoryNeed learned_memory(const RunsByUser& runs, Bytes prior, const JobRequest& job,
                          const Known& found) {
  const Estimate& known = *found.estimate;
  MemoryNeed need = known.memory;
  if (found.rung == Rung::key && known.runs < kLeastRuns) {
    need.deviation =
        std::max(need.deviation, found.repeatability->deviation_after(known.runs) * need.mean);
  }
  const bool may_be_less = !job.measured || may_lower(prior, job, found);
  return may_be_less ? need : larger_of(need, prior_of(runs, prior, job));
}

}  // namespace

Prediction predict(const RunsByUser& runs, const CostOptions& cost,
                   const ReservationOptions& reservation, const JobRequest& job) {
  Prediction result;
  const Known found = known_of(runs, job);
  result.rung = found.rung;
  result.cost = formula(cost, job.inventory.value_or(1));
  if (found.estimate) predict_cpu(found, cost, job, result);
  if (job.cost) {
    result.cost = *job.cost;
    result.least_cost.reset();
  }
  const bool its_own = found.rung == Rung::key || found.rung == Rung::program;
  if (job.memory) {
    result.memory = MemoryNeed{static_cast<double>(job.memory->value), 0};
    result.rung = Rung::declared;
  } else if (found.estimate && (its_own || job.measured)) {
    result.memory = learned_memory(runs, reservation.prior, job, found);
    if (job.measured) result.growth = found.growth;
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
