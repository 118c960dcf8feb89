#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "recognition/program_class.h"
#include "sluice/units.h"

namespace sluice {

struct BuildWatchOptions {
  std::string queue = {};   ///< Of its jobs; empty for the daemon's default.
  int priority = 0;         ///< Of its jobs; larger first.
  std::string parent = {};  ///< The permit that the build works on; empty for none.
  ListedPrograms programs = {};
  bool only_proc = false;  ///< Find processes in /proc, also where the kernel would tell.
  /// Gets what people should know, one line without a full stop.
  std::function<void(const std::string&)> say = {};
};

/// One run of a program that had a permit.
struct BuildRun {
  std::string name;  ///< Program and what it works on, such as "cc1plus foo.cc".
  Bytes peak;        ///< Largest resident memory that was seen.
  Duration cpu{0};
  std::optional<Bytes> kept;  ///< What was kept for it.
};

/// Of a build so far.
struct BuildReport {
  std::size_t runs = 0;     ///< Processes that have got a permit.
  std::size_t running = 0;  ///< Processes that have one now.
  std::size_t held = 0;     ///< Processes that stand still now.
  std::size_t most_held = 0;
  std::string waits_for;  ///< Why the eldest of them does; empty if none does.
  /// Runs without the permit that they needed, by cause.
  std::size_t beyond_stall = 0, beyond_clock = 0, beyond_unstoppable = 0, beyond_daemon = 0;
  std::vector<BuildRun> heaviest;           ///< At most ten, by memory, the heaviest first.
  std::vector<BuildRun> killed_for_memory;  ///< By the kernel.
  bool has_daemon = true;
};

/// Watches every process that a build starts, and has each that weighs something wait for a permit
/// of the daemon: it is stopped right after its start and goes on when it has one. `BuildTree` says
/// which those are. Whatever happens to the daemon, to this object or to its process: nothing stays
/// stopped, and no permit is kept. Call it on one thread; it has no other.
class BuildWatch {
 public:
  /// `root`: the first process of the build, a child of this one.
  BuildWatch(BuildWatchOptions options, Client daemon, pid_t root);
  ~BuildWatch();  ///< Continues all that is stopped, and returns all permits.
  BuildWatch(const BuildWatch&) = delete;
  BuildWatch& operator=(const BuildWatch&) = delete;

  /// Readable when there is something to do.
  int descriptor() const;
  /// Call `poll` then at the latest.
  std::optional<TimePoint> next() const;
  /// Never waits.
  void poll(TimePoint now);

  BuildReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
