#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "costmodel/repeatability.h"
#include "costmodel/run_group.h"
#include "costmodel/sample.h"
#include "sluice/job.h"
#include "sluice/usage.h"

namespace sluice {

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
