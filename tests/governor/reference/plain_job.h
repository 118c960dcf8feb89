#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "governor/core.h"

namespace sluice::reference {

/// A pending or running job.
struct Job {
  JobId id;
  std::uint64_t number = 0;  ///< Number of arrival, in order of submission.
  double place = 0;          ///< That number, or one between those of others.
  JobRequest request;
  Points cost;
  TimePoint arrived;
  bool frozen = false;
  std::vector<LevelLocks> locks;              ///< One for each level.
  std::map<std::string, std::int64_t> needs;  ///< By manager.
  std::vector<HeldItems> items;               ///< Of a running job.
};

/// The state of one pass across its tours.
struct Pass {
  TimePoint now;
  std::vector<Decision>* decisions = nullptr;
  std::vector<Admitted> admitted;
  std::set<std::string> done;  ///< Queues.
  std::set<std::string> full;  ///< Managers; the window and the memory by their own names.
  std::map<std::string, JobId> kept_for;     ///< Which of them are full for an aged job.
  std::set<JobId> passed_over;               ///< No longer considered.
  std::map<std::string, int> short_of_room;  ///< Their number, by queue.
  std::map<JobId, int> frozen_spv;           ///< With `batch`.
};

/// One resource that a job is short of.
struct Short {
  std::string_view what;
  bool blocks = true;
  Refusal refusal;
};

}  // namespace sluice::reference
