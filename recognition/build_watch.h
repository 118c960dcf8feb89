#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/non_copyable.h"
#include "client/client.h"
#include "recognition/build_record.h"
#include "recognition/configured_programs.h"
#include "recognition/number_check.h"
#include "sluice/units.h"

namespace sluice {

struct BuildWatchOptions {
  std::string queue = {};   ///< Of its jobs; empty for the daemon's default.
  int priority = 0;         ///< Of its jobs; larger first.
  std::string parent = {};  ///< The permit that the build works on; empty for none.
  ConfiguredPrograms programs = {};
  /// Else the build begins ungoverned, until it answers and is asked for its programs.
  bool daemon_answers = true;
  std::size_t heaviest = 10;  ///< As many of the heaviest runs are remembered.
  std::size_t asked = 0;      ///< Jobs at once that the user gave the tool (-j); 0: none.
  /// Hears how many fit if these are fewer, and what bounds them: see `NumberCheck`, `FitAnswer`.
  std::function<void(const FittingJobs& fitting, const std::string& bound)> tell_fit = {};
  bool only_proc = false;     ///< Find processes in /proc, also where the kernel would tell.
  bool only_signals = false;  ///< Stop processes by SIGSTOP, also where they may be traced.
  /// Gets what people should know, one line without a full stop.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Watches every process that a build starts, and has each that weighs something wait for a permit
/// of the daemon: it is stopped right after its start and goes on when it has one. `BuildTree` says
/// which those are. Whatever happens to the daemon, to this object or to its process: nothing stays
/// stopped, and no permit is kept. Call it on one thread; it has no other.
class BuildWatch : NonCopyable {
 public:
  /// `root`: the first process of the build, a child of this one.
  BuildWatch(BuildWatchOptions options, Client daemon, pid_t root);
  ~BuildWatch();  ///< Continues all that is stopped, and returns all permits.

  /// Readable when there is something to do.
  int descriptor() const;
  /// Call `poll` then at the latest.
  std::optional<TimePoint> next() const;
  /// Never waits.
  void poll(TimePoint now);

  /// Whether the daemon still has to answer how a run has ended.
  bool awaits_answers() const;

  BuildReport report() const;
  /// The same without the lists of runs and the times waited, which grow with the build. For each
  /// `poll`.
  BuildReport counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
