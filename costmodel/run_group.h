#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "costmodel/estimate.h"

namespace sluice {

/// A hash for maps that are searched by `std::string_view`.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// See `PastRun::key`.
std::uint64_t key_hash(std::string_view key);
/// See `PastRun::variant`.
std::uint64_t variant_hash(std::string_view variant);

/// Chooses finished runs.
using RunFilter = std::function<bool(const PastRun&)>;

/// Runs that are estimated together: the last `kSamplesPerKey` finished ones, and running ones. Not
/// thread-safe, not even its const functions: they remember estimates.
struct RunGroup {
  std::string program = {};        ///< Of the last run.
  std::vector<PastRun> runs = {};  ///< Finished; oldest first. Changed by the functions only.
  std::vector<SoFar> running = {};

  /// From all runs.
  const Estimate& known(Kinship kinship) const;
  /// The variant's own estimate if variants differ and it ran before, else that of all runs.
  const Estimate& known(Kinship kinship, std::uint64_t variant) const;
  /// From finished runs that the governor measured itself.
  const Estimate& known_to_all(Kinship kinship) const;

  /// How its memory grows over time, if its runs are of one steady job; else null.
  std::shared_ptr<const MemoryProfile> growth(Kinship kinship) const;

  bool has_run(std::uint64_t variant) const;
  bool empty() const { return runs.empty() && running.empty(); }

  void add(const PastRun& run);
  /// Adds a running job, or raises what it used.
  void update(const SoFar& so_far);
  void drop_running(std::uint64_t run);
  /// False if no run matches.
  bool drop_runs(const RunFilter& which);

 private:
  mutable Estimate cached_, vouched_;
  mutable std::unordered_map<std::uint64_t, Estimate> variants_;  ///< Those queried so far.
  mutable std::shared_ptr<const MemoryProfile> growth_;
  mutable bool stale_ = true, vouched_stale_ = true, growth_stale_ = true, disagrees_ = false;
};

using RunGroups = std::unordered_map<std::string, RunGroup, TextHash, std::equal_to<>>;

/// Null if there is none.
const RunGroup* find(const RunGroups& groups, std::string_view name);

/// The entry whose last run ended longest ago; `groups` must not be empty.
RunGroups::iterator oldest_of(RunGroups& groups);

}  // namespace sluice
