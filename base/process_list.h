#pragma once

#include <sys/types.h>

#include <unordered_map>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// Every visible process, for callers that read them many times a second and mind a few. Most of a
/// full reading goes to processes of others, which hardly change: these are read again every
/// four seconds only. Not thread-safe.
class ProcessList {
 public:
  /// Every visible process, in no order. Those in `followed` and those that are new are as of now;
  /// of others parent, group, session and figures are at most four seconds old.
  std::vector<ProcessFacts> read(const std::vector<pid_t>& followed, TimePoint now);
  /// The next call reads all of them.
  void forget() { known_.clear(); }

 private:
  std::unordered_map<pid_t, ProcessFacts> known_;
  TimePoint whole_at_;  ///< When all were read.
};

}  // namespace sluice
