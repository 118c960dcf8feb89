#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/units.h"

// What the record of a daemon says of its jobs; see record/entry.h.

namespace sluice::record {

/// What lists its fields: an entry, which may be part of another.
template <typename T>
concept HasFields = requires(T& self) {
  T::fields(self, [](auto&...) {});
};

/// Fractions are recorded as whole thousandths.
constexpr double from_thousandths(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / 1000;
}

/// Text that a client, a sensor or the configuration chose: under `names: hashed` it is written as
/// a keyed hash.
struct Name {
  std::string text;
  bool operator==(const Name&) const = default;
};

struct JobSubmitted {
  JobId job;
  Name id, key, queue;
  std::optional<std::uint32_t> user;  ///< nullopt if it came over TCP.
  std::int64_t priority = 0;
  Points cost;
  JobId parent;
  Name program = {}, variant = {};
  std::optional<Points> own_cost = {};  ///< Declared.
  std::optional<Bytes> memory = {};     ///< Declared.
  std::optional<std::int64_t> inventory = {};
  std::vector<std::pair<Name, Name>> locks = {};  ///< Level and modes, as the API writes them.
  std::vector<std::pair<Name, std::int64_t>> resources = {};
  std::vector<JobId> after = {};
  bool global_lock = false;
  std::vector<Name> reasons = {};
  /// The word of an `OnFailure`. Empty: an earlier Sluice, which recorded none of these five.
  std::string on_failure = {};
  std::optional<std::int64_t> nice = {};
  bool declares_locks = false;  ///< Perhaps none: then it locks nothing.
  /// Of a `ClientBatch`, like its limits, which are 0 if there are none; empty if it is of none.
  Name batch = {};
  std::int64_t batch_waiting = 0, batch_unfinished = 0;
  bool operator==(const JobSubmitted&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.id, self.key, self.queue, self.user, self.priority, self.cost, self.parent,
          self.program, self.variant, self.own_cost, self.memory, self.inventory, self.locks,
          self.resources, self.after, self.global_lock, self.reasons, self.on_failure, self.nice,
          self.declares_locks, self.batch, self.batch_waiting, self.batch_unfinished);
  }
};

/// The words of `JobChanged::place`, in the order of `JobChange::Position::Where`.
inline constexpr std::array<std::string_view, 4> kPlaces{"front", "back", "before", "after"};

/// A `JobChange` of a job that waits or runs. Absent fields stayed as they were.
struct JobChanged {
  JobId job;
  std::optional<std::uint32_t> by = {};  ///< The user; nullopt if it came over TCP.
  std::optional<std::int64_t> priority = {};
  std::optional<Name> queue = {};
  std::string place = {};  ///< Where it was moved in its queue, one of `kPlaces`; empty: nowhere.
  JobId of = {};           ///< The job that it was moved before or after.
  std::optional<bool> frozen = {};
  std::optional<std::int64_t> nice = {};
  std::optional<std::vector<std::pair<Name, Name>>> locks = {};  ///< Level and modes.
  std::optional<bool> global_lock = {};
  bool operator==(const JobChanged&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.by, self.priority, self.queue, self.place, self.of, self.frozen, self.nice,
          self.locks, self.global_lock);
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
  std::string rung = {};  ///< What told the expected memory and time, see `Rung`; empty if unknown.
  bool operator==(const JobStarted&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.cost, self.usage, self.size, self.kept, self.expected_memory,
          self.expected_time, self.expected_millicores, self.rung);
  }
};

/// A job that waits or runs, told again for readers who have lost what was told before. It is the
/// same job, so readers that know it learn nothing new.
struct JobRestated {
  JobSubmitted submitted;             ///< As it is now, whatever was changed.
  TimePoint arrived;                  ///< When it was submitted.
  std::optional<JobStarted> started;  ///< If it runs; usage and size of that time are 0: unknown.
  TimePoint admitted;                 ///< When it started, if it runs.
  bool operator==(const JobRestated&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.submitted, self.arrived, self.started, self.admitted);
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
  Duration cpu_delay{0};  ///< Runnable, but waiting for a CPU.
  Bytes disk = {};        ///< Read and written; 0 if not accounted.
  /// Its use over time, on an idle host: ends of phases with thousandths of a core, ends of steps
  /// with bytes of memory. Empty if it was not measured often enough.
  std::vector<std::pair<Duration, std::int64_t>> cores_over_time = {};
  std::vector<std::pair<Duration, Bytes>> memory_over_time = {};
  bool operator==(const JobFinished&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit(self.job, self.outcome, self.ended_by, self.refusal, self.measured, self.cpu, self.wall,
          self.peak, self.cpu_delay, self.disk, self.cores_over_time, self.memory_over_time);
  }
};

}  // namespace sluice::record
