#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recognition/build_tree.h"
#include "recognition/permit_requests.h"
#include "recognition/process_end.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// Time that processes have waited for a permit, by what they lacked: "memory", "the window",
/// "CPUs", "another build", "its own queue", "the operator's pause", or as `wait_cause_of` says.
using WaitTimes = std::map<std::string, Duration>;

/// One run of a program; one without a permit only if it was, or may have been, killed for memory.
struct BuildRun {
  std::string name;  ///< Program and what it works on, such as "cc1plus foo.cc".
  Bytes peak;        ///< Largest resident memory that was seen.
  Duration cpu{0};
  std::optional<Bytes> kept;  ///< What was kept for it.
  /// What the daemon keeps for its next run, if the kernel killed it; nullopt if it has not said.
  std::optional<Bytes> next = {};
  WaitTimes waited = {};  ///< For its permit.
};

/// Of a build so far.
struct BuildReport {
  std::size_t runs = 0;          ///< Processes that got a permit.
  std::size_t running = 0;       ///< Processes that have one now.
  std::size_t most_running = 0;  ///< At once.
  std::size_t held = 0;          ///< Processes that are held now.
  std::size_t most_held = 0;
  std::string waits_for;  ///< Why the eldest of them is held; empty if none is.
  WaitTimes waited;       ///< All processes together.
  /// Runs without the permit that they needed, by cause.
  std::size_t beyond_stall = 0, beyond_pipeline = 0, beyond_clock = 0, beyond_unstoppable = 0,
              beyond_daemon = 0;
  std::vector<BuildRun> heaviest;           ///< By memory, the heaviest first; see `BuildRecord`.
  std::vector<BuildRun> killed_for_memory;  ///< By the kernel.
  /// Ended, with an unknown status, while the kernel killed processes for memory: only root learns
  /// which.
  std::vector<BuildRun> maybe_killed;
  bool knows_kills = true;  ///< Whether the end of every run is known.
  bool has_daemon = true;
};

/// The cause of a wait in a word or two, as in `WaitTimes`. `kind`: the refusal's code and binding,
/// see `JobAnswer::reason_kind`. Pure.
std::string wait_cause_of(const std::string& kind);

/// Fills in the runs without a permit. Pure.
void add_no_permit_counts(BuildReport& report, const std::map<NoPermitReason, std::size_t>& counts);

/// What the tree needs to know of the same. Pure.
WaitsFor waits_for(const std::string& kind);

/// The daemon's `reason` for the same, for people: of a pause with what ends it. Pure.
std::string wait_sentence(const std::string& kind, const std::string& reason);

/// Counts and measures the runs of a build. Pure: times are passed in.
class BuildRecord {
 public:
  /// Remembers this many of the heaviest runs. `prefix`: of the names of the build's own jobs.
  BuildRecord(std::size_t heaviest, std::string prefix)
      : most_heaviest_(heaviest), prefix_(std::move(prefix)) {}

  /// The ticket of `news` waits for its cause from now on; time before counts for the last one.
  void waits(const PermitNews& news, TimePoint now);
  /// It stops waiting, without a permit.
  void goes(Ticket ticket, TimePoint now);
  void granted(Ticket ticket, TimePoint now);
  /// A run with a permit has ended, or become another program.
  void ended(BuildRun run, const ProcessEnd& end, Outcome outcome, Ticket ticket);
  /// A run without a permit has ended, or become another program: kept only if it was, or may have
  /// been, killed for memory.
  void note_kill(const BuildRun& run, const ProcessEnd& end, Outcome outcome);
  /// The daemon has learned from its end.
  void learned(Ticket ticket, std::optional<Bytes> next);
  /// No permit counts any more.
  void lost(TimePoint now);

  /// The report so far.
  BuildReport report(TimePoint now) const;
  /// Its numbers of runs alone: as fast after a long build as after a short one.
  BuildReport counts() const;
  std::size_t running() const { return so_far_.running; }

 private:
  struct Wait {
    std::string lacks;
    TimePoint since;
  };
  std::string lacked_by(const PermitNews& news) const;
  void count_wait(Ticket ticket, TimePoint now);

  std::size_t most_heaviest_;
  std::string prefix_;
  BuildReport so_far_;                              ///< Without the current waits.
  std::map<Ticket, Wait> waits_;                    ///< The current ones.
  std::map<Ticket, WaitTimes> waited_by_ticket_;    ///< Of those that wait or run.
  std::map<Ticket, std::size_t> killed_by_ticket_;  ///< Places in `killed_for_memory`.
};

}  // namespace sluice
