#pragma once

#include <string>

#include "cli/record/span.h"
#include "cli/record/story.h"
#include "record/segment.h"

namespace sluice::cli {

/// The events of a record as a trace that Perfetto and chrome://tracing open: a process for each
/// queue with its jobs in lanes, first as they wait, with the reason, then as they run, each in the
/// queue that it was in then; and the window, usage, jobs and pressures as counters.
class Trace {
 public:
  /// Entries before the part that is shown count only for jobs that reach into it.
  void add(const record::Dated& dated, Side side);
  /// The whole trace, as JSON.
  std::string json() const;

 private:
  void add_counters(const record::Dated& dated);

  Story story_;
  std::optional<When> before_;  ///< The last entry before the part.
  std::string counters_;        ///< Events, each with a comma before it.
};

}  // namespace sluice::cli
