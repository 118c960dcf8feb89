#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/units.h"

// What the record of a daemon consists of. Each entry lists its fields once, in `fields`; a new
// field is appended, so that an older reader ignores it and a newer one gets its default.

namespace sluice::record {

/// Text that a client, a sensor or the configuration chose: under `names: hashed` it is written as
/// a keyed hash.
struct Name {
  std::string text;
  bool operator==(const Name&) const = default;
};

/// What a segment was written by: its first entry.
struct SegmentStart {
  std::string version;  ///< Of Sluice.
  std::string boot;     ///< Identifies the boot that the monotonic times belong to.
  bool operator==(const SegmentStart&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.version, self.boot); }
};

/// Entries that are missing here.
struct Gap {
  std::uint64_t lost = 0;
  TimePoint from, to;  ///< Of the first and the last of them.
  std::string why;
  bool operator==(const Gap&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.lost, self.from, self.to, self.why); }
};

/// "started", "stopping", "reloaded", "reload failed" or "operated".
struct DaemonEvent {
  std::string what;
  Name detail;  ///< The version, the reason, the operator's act: "paused".
  bool operator==(const DaemonEvent&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.what, self.detail); }
};

struct JobSubmitted {
  JobId job;
  Name id, key, queue;
  std::optional<std::uint32_t> user;  ///< nullopt if it came over TCP.
  std::int64_t priority = 0;
  Points cost;
  JobId parent;
  bool operator==(const JobSubmitted&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.id, self.key, self.queue, self.user, self.priority, self.cost,
          self.parent);
  }
};

/// Why a job waits from here on: a `Refusal`.
struct JobWaits {
  JobId job;
  std::string code;
  Name binding;
  Points cost, usage, size;
  JobId ahead;
  std::int64_t needs = 0, free = 0, total = 0;
  std::uint64_t place = 0;  ///< 1 is next.
  bool operator==(const JobWaits&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.code, self.binding, self.cost, self.usage, self.size, self.ahead,
          self.needs, self.free, self.total, self.place);
  }
};

struct JobStarted {
  JobId job;
  Points cost, usage, size;  ///< Usage with this job.
  Bytes kept;                ///< Memory kept for it; 0 if none is.
  Bytes expected_memory;     ///< The mean of its predicted peak; 0 if unknown, like the next two.
  Duration expected_time{0};
  std::int64_t expected_millicores = 0;
  bool operator==(const JobStarted&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.cost, self.usage, self.size, self.kept, self.expected_memory,
          self.expected_time, self.expected_millicores);
  }
};

/// The end of a job, whether or not it had started.
struct JobFinished {
  JobId job;
  std::string outcome, ended_by;
  std::string refusal;  ///< The code that ended its wait; empty if none did.
  bool measured = false;
  Duration cpu{0}, wall{0};
  Bytes peak;
  bool operator==(const JobFinished&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.outcome, self.ended_by, self.refusal, self.measured, self.cpu, self.wall,
          self.peak);
  }
};

struct WindowChanged {
  Points from, to;
  std::string cause;
  Name sensor, said;
  std::optional<std::int64_t> busy, waiting;  ///< Thousandths, as in `CpuStatus`.
  std::uint64_t pending = 0;
  bool operator==(const WindowChanged&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.from, self.to, self.cause, self.sensor, self.said, self.busy, self.waiting,
          self.pending);
  }
};

/// A sensor has turned red or green, or failed.
struct SensorVerdict {
  Name sensor;
  bool red = false, up = false, ignored = false;
  Name said;
  bool operator==(const SensorVerdict&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.sensor, self.red, self.up, self.ignored, self.said);
  }
};

/// How full the governor is.
struct Level {
  Points size, usage;
  std::uint64_t running = 0, pending = 0;
  std::optional<std::int64_t> busy, waiting;  ///< Thousandths, as in `CpuStatus`.
  bool operator==(const Level&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.size, self.usage, self.running, self.pending, self.busy, self.waiting);
  }
};

/// The sensors whose pressure has changed, in thousandths of their limits.
struct Pressures {
  std::vector<std::pair<Name, std::int64_t>> of;
  bool operator==(const Pressures&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.of); }
};

/// The index of an alternative, plus 1, is its number in the file: append only.
using Entry = std::variant<SegmentStart, Gap, DaemonEvent, JobSubmitted, JobWaits, JobStarted,
                           JobFinished, WindowChanged, SensorVerdict, Level, Pressures>;

/// The word that the file and `--json` use for each type: "job_waits".
std::string_view type_name(const Entry& entry);

}  // namespace sluice::record
