#pragma once

#include <cstdint>
#include <string>

namespace sluice {

/// A sequence of jobs of which a client submits the next one only while few of them wait or run.
/// Admission ignores it. The record has it, so that `sluice whatif` lets the jobs come when the
/// client would have submitted them; the state keeps it for the record of the next daemon.
struct ClientBatch {
  std::string id;                    ///< The same for all its jobs; empty: the job is of none.
  std::int64_t most_waiting = 0;     ///< The client lets no more of them wait; 0: no limit.
  std::int64_t most_unfinished = 0;  ///< The client lets no more of them wait or run; 0: no limit.

  bool operator==(const ClientBatch&) const = default;
};

}  // namespace sluice
