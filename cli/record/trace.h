#pragma once

#include <string>

#include "cli/record/story.h"
#include "record/segment.h"

namespace sluice::cli {

/// The events of a record as a trace that Perfetto and chrome://tracing open: a process for each
/// queue with its jobs in lanes, first as they wait, with the reason, then as they run; and the
/// window, usage, jobs and pressures as counters.
class Trace {
 public:
  Trace(record::WallTime from, record::WallTime to) : from_(from), to_(to) {}

  /// Entries outside the span count only for jobs that reach into it.
  void add(const record::Dated& dated);
  /// The whole trace, as JSON.
  std::string json() const;

 private:
  void add_counters(const record::Dated& dated);

  record::WallTime from_, to_;
  Story story_;
  std::string counters_;  ///< Events, each with a comma before it.
};

}  // namespace sluice::cli
