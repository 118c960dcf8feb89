#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice::cli {

/// Events of a replay.
enum class ReplayEvent {
  submitted,
  deduplicated,
  admitted,
  refused,
  finished,
  cancelled,
  window,
  registered,
  deregistered
};

/// One event. Only the fields of its kind are set; views are valid during the call only.
struct ReplayRecord {
  Duration t{0};
  ReplayEvent event = ReplayEvent::submitted;
  std::string_view job = {};    ///< The job's id; empty for window and registration.
  std::string_view other = {};  ///< deduplicated: the job that it became; refused: the one ahead.
  std::string_view queue = {};  ///< submitted: after applying its key's definition.
  int priority = 0;             ///< submitted: likewise.
  /// admitted: its cost. `usage` and `size` are those at that instant, including the job's own
  /// cost.
  Points cost = {}, usage = {}, size = {};
  /// admitted, refused: contention is on and the job was weighed, so `weight` is valid.
  bool weighs = false;
  double weight = 0;
  Refusal refusal = {};                              ///< refused, cancelled, deregistered.
  std::span<const HeldItems> items = {};             ///< admitted.
  std::span<const std::string_view> conflicts = {};  ///< admitted: jobs it will block on.
  Outcome outcome = Outcome::ok;                     ///< finished.
  const WindowChange* change = nullptr;              ///< window: never null.
};

/// The state at the end of an instant.
struct ReplayInstant {
  Duration t{0};
  Points size, usage;
  std::size_t running = 0, pending = 0;
  std::span<const double> pressures;  ///< In the order of `replay_sensors`.
  /// Called only when needed, since it returns a copy.
  std::function<std::vector<ResourceStatus>()> resources;
  /// Why the first job in line waits; nullopt if no job waits. Likewise; empty if that is unknown.
  std::function<std::optional<Refusal>()> limiting = {};
  /// Set if the scenario's CPUs are measured: as last sampled, idle before.
  std::optional<CpuStatus> cpu = std::nullopt;
};

/// The callbacks of a replay. Any may be empty.
struct ReplaySink {
  std::function<void(const ReplayRecord&)> on_record;
  std::function<void(const ReplayInstant&)> on_instant;
  /// A line for people: part of the script had no effect.
  std::function<void(const std::string&)> on_note;
};

std::string_view to_string(ReplayEvent event);

}  // namespace sluice::cli
