#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "costmodel/estimate.h"
#include "costmodel/repeatability.h"
#include "costmodel/sample.h"
#include "sluice/job.h"
#include "sluice/usage.h"

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

/// One user's runs. Not thread-safe.
struct UserRuns {
  RunGroups keys, programs;
  RunGroup everything;
  Repeatability repeatability;  ///< From the runs of all keys.

  void add(const Sample& sample);
  void drop_oldest_key();
  void drop_oldest_program() { programs.erase(oldest_of(programs)); }
  /// Adds a running job, or raises what it used; an empty key or program has no group.
  void update(std::string_view key, std::string_view program, const SoFar& so_far);
  void drop_running(std::string_view key, std::string_view program, std::uint64_t run);
  /// False if no run matches.
  bool drop_runs(const RunFilter& which);
  bool empty() const { return everything.empty() && keys.empty() && programs.empty(); }
};

/// The runs of all users, within the limits of sample.h. Not thread-safe.
class RunsByUser {
 public:
  using Others = std::unordered_map<std::string, UserRuns, TextHash, std::equal_to<>>;

  /// `machine`: its memory; a run reported to have held more is not believed.
  explicit RunsByUser(Bytes machine) : machine_(machine) {}

  /// A job killed for memory is recorded with more than it held, but no job needs more than the
  /// machine has.
  bool is_believed(Bytes peak) const { return peak <= machine_; }
  Bytes machine() const { return machine_; }

  /// Of user `""`.
  const UserRuns& common() const { return common_; }
  const Others& others() const { return others_; }
  /// Null if the user has none.
  const UserRuns* find(std::string_view user) const;

  void add(const Sample& sample);
  /// False if no run matches.
  bool forget(const SampleFilter& which);

  /// What a running job used so far; `run` identifies it until `ended`.
  void update_running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far);
  void ended(std::uint64_t run);

 private:
  struct Names {
    std::string user, key, program;
  };

  UserRuns& at(const std::string& user) { return user.empty() ? common_ : others_[user]; }
  void enforce_limits();
  UserRuns* with_too_many(RunGroups UserRuns::*groups);

  Bytes machine_;
  UserRuns common_;
  Others others_;
  std::unordered_map<std::uint64_t, Names> running_;
};

}  // namespace sluice
