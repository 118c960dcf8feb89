#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "governor/core.h"

namespace sluice::reference {

/// A job that waits or runs.
struct Job {
  JobId id;
  std::uint64_t number = 0;  ///< Of arrival: the order of the submits.
  double place = 0;          ///< That number, or where it was put between those of others.
  JobRequest request;
  Points cost;
  TimePoint arrived;
  bool frozen = false;
  std::vector<LevelLocks> locks;              ///< One for each level.
  std::map<std::string, std::int64_t> needs;  ///< By manager.
  std::vector<HeldItems> items;               ///< Of a running job.
};

/// What one pass remembers from tour to tour.
struct Pass {
  TimePoint now;
  std::vector<Decision>* decisions = nullptr;
  std::vector<Admitted> admitted;
  std::set<std::string> done;  ///< Queues.
  std::set<std::string> full;  ///< Managers; the window and the memory by their own names.
  std::map<std::string, JobId> kept_for;     ///< What of them is full for an aged job.
  std::set<JobId> passed_over;               ///< Not looked at any more.
  std::map<std::string, int> short_of_room;  ///< How many of these, by queue.
  std::map<JobId, int> frozen_spv;           ///< With `batch`.
};

/// One thing a job is short of.
struct Short {
  std::string_view what;
  bool blocks = true;
  Refusal refusal;
};

}  // namespace sluice::reference
