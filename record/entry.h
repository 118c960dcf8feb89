#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "record/job_entry.h"
#include "sluice/units.h"

// What the record of a daemon consists of. Each entry lists its fields once, in `fields`; a new
// field is appended, so that an older reader ignores it and a newer one gets its default.

namespace sluice::record {

/// The version and the boot that wrote a segment: its first entry.
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
  /// Of "started": the jobs that it took over from the daemon before. nullopt if that is unknown,
  /// as from an earlier Sluice.
  std::optional<std::vector<JobId>> jobs = {};
  bool operator==(const DaemonEvent&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.what, self.detail, self.jobs); }
};

/// The machine and the configuration in force from here on.
struct Configured {
  std::int64_t millicores = 0;  ///< Thousandths of the CPUs that jobs may use.
  Bytes memory;                 ///< The limit that binds most; 0 if unknown.
  Name text;                    ///< The file of the configuration; empty if there is none.
  bool operator==(const Configured&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.millicores, self.memory, self.text); }
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
  Bytes others = {};  ///< Memory that others use, in steps of a 64th of the limit.
  bool operator==(const Level&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.size, self.usage, self.running, self.pending, self.busy, self.waiting, self.others);
  }
};

/// The sensors whose pressure has changed, in thousandths of their limits.
struct Pressures {
  std::vector<std::pair<Name, std::int64_t>> of;
  bool operator==(const Pressures&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.of); }
};

/// All jobs that wait or run have been told by a `JobRestated` each, which comes before this.
struct Restated {
  std::uint64_t jobs = 0;               ///< As many.
  std::uint64_t left_out = 0;           ///< Those for which there was no room.
  std::vector<SensorVerdict> red = {};  ///< The sensors that are red.
  /// What operators have set beside the configuration, in the words of "operated": "paused", "queue
  /// nightly paused". nullopt: unknown, as at the start, or from an earlier Sluice.
  std::optional<std::vector<Name>> operated = {};
  bool operator==(const Restated&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.jobs, self.left_out, self.red, self.operated);
  }
};

/// A call to the governor with its result, see governor/inputs/input_log.h.
struct GovernorCall {
  std::string bytes;
  bool operator==(const GovernorCall&) const = default;
  static void fields(auto& self, auto&& visit) { visit(self.bytes); }
};

/// The index of an alternative, plus 1, is its number in the file: append only.
using Entry = std::variant<SegmentStart, Gap, DaemonEvent, JobSubmitted, JobWaits, JobStarted,
                           JobFinished, WindowChanged, SensorVerdict, Level, Pressures, Configured,
                           GovernorCall, JobChanged, JobRestated, Restated>;

/// The word that the file and `--json` use for each type: "job_waits".
inline std::string_view type_name(const Entry& entry) {
  constexpr std::array<std::string_view, std::variant_size_v<Entry>> kNames{
      "segment",      "gap",         "daemon",       "job_submitted", "job_waits", "job_started",
      "job_finished", "window",      "sensor",       "level",         "pressures", "configured",
      "call",         "job_changed", "job_restated", "restated"};
  return kNames[entry.index()];
}

}  // namespace sluice::record
