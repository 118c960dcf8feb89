#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/status.h"
#include "sluice/units.h"

namespace sluice::cli {

/// What a replay can tell of.
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

/// One thing that happened. Only what an event speaks of is set; views live as long as the call.
struct ReplayRecord {
  Duration t{0};
  ReplayEvent event = ReplayEvent::submitted;
  std::string_view job;    ///< The job's id; empty for window and registration.
  std::string_view other;  ///< deduplicated: the job it became; refused: the one ahead.
  std::string_view queue;  ///< submitted: after its key's definition.
  int priority = 0;        ///< submitted: likewise.
  /// admitted: its cost. `usage` and `size` are those of the instant, the job's own included.
  Points cost, usage, size;
  Points from;          ///< window: the size before.
  bool weighs = false;  ///< admitted, refused: contention is on and `weight` says something.
  double weight = 0;
  Refusal refusal;                              ///< refused, cancelled, deregistered.
  std::span<const HeldItems> items;             ///< admitted.
  std::span<const std::string_view> conflicts;  ///< admitted: jobs it will block on.
  Outcome outcome = Outcome::ok;                ///< finished.
  WindowCause cause = WindowCause::growth;      ///< window.
  std::string_view sensor;                      ///< window, red: the worst sensor.
};

/// How things stand when an instant is over.
struct ReplayInstant {
  Duration t{0};
  Points size, usage;
  std::size_t running = 0, pending = 0;
  std::span<const double> pressures;  ///< In the order of `replay_sensors`.
  /// Fetched only when asked for: it is a copy.
  std::function<std::vector<ResourceStatus>()> resources;
};

/// Where a replay tells what happens. Any may be left empty.
struct ReplaySink {
  std::function<void(const ReplayRecord&)> on_record;
  std::function<void(const ReplayInstant&)> on_instant;
  /// A line for people: something in the script had no effect.
  std::function<void(const std::string&)> on_note;
};

std::string_view to_string(ReplayEvent event);

}  // namespace sluice::cli
