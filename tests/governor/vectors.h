#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fakes.h"
#include "reference/plain_core.h"

namespace sluice::fakes {

/// Both must give the same answers: the plain scan and the indexed core.
using BothCores = ::testing::Types<reference::PlainCore, Core>;

/// The names by which the caller starts and finishes jobs.
using Names = std::vector<std::string>;

inline LevelLocks shared(std::string level, std::vector<std::string> names) {
  LevelLocks locks;
  locks.level = std::move(level);
  locks.shared = std::move(names);
  return locks;
}

inline LevelLocks exclusive(std::string level, std::vector<std::string> names) {
  LevelLocks locks;
  locks.level = std::move(level);
  locks.exclusive = std::move(names);
  return locks;
}

/// A mode without names, or none.
enum class Whole { none, unknown_shared, all_shared, unknown_exclusive, all_exclusive };

inline LevelLocks whole(std::string level, Whole mode) {
  LevelLocks locks;
  locks.level = std::move(level);
  locks.unknown_shared = mode == Whole::unknown_shared;
  locks.all_shared = mode == Whole::all_shared;
  locks.unknown_exclusive = mode == Whole::unknown_exclusive;
  locks.all_exclusive = mode == Whole::all_exclusive;
  return locks;
}

/// A job of one point; a window of n points has n slots.
inline JobRequest slot_job(std::string name, std::vector<LevelLocks> locks = {}) {
  JobRequest job = costing(1);
  job.id = std::move(name);
  job.locks = std::move(locks);
  return job;
}

inline JobRequest in_queue(std::string name, std::string queue, std::string manager = {},
                           std::int64_t amount = 1) {
  JobRequest job = slot_job(std::move(name));
  job.queue = std::move(queue);
  if (!manager.empty()) job.resources.push_back({std::move(manager), amount});
  return job;
}

inline GovernorOptions slots(std::int64_t count) {
  GovernorOptions options = window_of(count, 1000);
  options.queueing.queues["default"];
  return options;
}

/// Drives either core by the names of jobs.
template <typename AnyCore>
class Played {
 public:
  explicit Played(GovernorOptions options)
      : options_(options), core_(std::move(options), flat(1), {}, at(-1000)) {}

  std::variant<Queued, Refusal> submit(const JobRequest& job, double when = 0) {
    const auto answer = core_.submit(job, at(when));
    const auto* queued = std::get_if<Queued>(&answer);
    if (queued && !queued->deduplicated) ids_.emplace_back(job.id, queued->id);
    return answer;
  }

  /// The names of the jobs that a pass starts, in order.
  Names pass(double when = 0) {
    decisions_.clear();
    Names names;
    for (const Admitted& admitted : core_.pass(at(when), &decisions_)) {
      names.push_back(name_of(admitted.id));
      running_.emplace_back(names.back(), admitted);
    }
    return names;
  }

  /// Submits a job and starts it.
  void run(const JobRequest& job, double when = 0) {
    submit(job, when);
    pass(when);
  }

  void finish(const std::string& name, double when = 0) {
    for (const auto& [running, admitted] : running_) {
      if (running == name) core_.finish(admitted.slot, Outcome::ok, at(when));
    }
    std::erase_if(running_, [&](const auto& each) { return each.first == name; });
  }

  /// Why a job did not start in the last pass; holds only refusals not reported before.
  std::optional<Refusal> refusal(const std::string& name) const {
    for (const Decision& decision : decisions_) {
      if (decision.job == id(name) && decision.refusal) return decision.refusal;
    }
    return std::nullopt;
  }

  Explanation explain(const std::string& name, double when = 0) const {
    return core_.explain(id(name), at(when)).value();
  }

  /// The job's SPV in tenths, of which 10 are the base.
  int spv(const std::string& name) const { return explain(name).spv_tenths; }

  JobId id(const std::string& name) const {
    for (const auto& [known, id] : ids_) {
      if (known == name) return id;
    }
    return {};
  }

  /// Applies new options while jobs run and wait.
  void reload(const GovernorOptions& options, double when = 0) {
    if constexpr (std::is_same_v<AnyCore, Core>) {
      core_.reload(options, flat(1), {}, at(when));
    } else {
      core_.reload(options);
    }
  }

  GovernorOptions options() const { return options_; }
  AnyCore& core() { return core_; }

 private:
  std::string name_of(JobId id) const {
    for (const auto& [name, known] : ids_) {
      if (known == id) return name;
    }
    return {};
  }

  GovernorOptions options_;
  AnyCore core_;
  std::vector<std::pair<std::string, JobId>> ids_;
  std::vector<std::pair<std::string, Admitted>> running_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice::fakes
