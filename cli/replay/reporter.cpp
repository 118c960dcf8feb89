#include "cli/replay/reporter.h"

#include <string>
#include <vector>

#include "cli/replay/queue_options.h"

namespace sluice::cli {

void ReplayReporter::submitted(const JobRequest& request) const {
  const QueueingOptions& options = core_.options().queueing;
  const auto key = options.keys.find(request.key);
  const KeyOptions* defined = key == options.keys.end() ? nullptr : &key->second;
  const std::string queue = queue_of(options, request);
  ReplayRecord record{.event = ReplayEvent::submitted, .job = request.id, .queue = queue};
  record.priority = request.priority.value_or(defined ? defined->priority.value_or(0) : 0);
  tell(record);
}

void ReplayReporter::deduplicated(std::string_view name, JobId as) const {
  tell({.event = ReplayEvent::deduplicated, .job = name, .other = jobs_.name(as)});
}

void ReplayReporter::took_over(const Admitted& job, Points usage) const {
  tell({.event = ReplayEvent::admitted,
        .job = jobs_.name(job.id),
        .cost = job.cost,
        .usage = usage,
        .size = core_.size(),
        .items = job.items});
}

void ReplayReporter::admitted(const Decision& decision) const {
  std::vector<std::string_view> conflicts;
  for (const JobId other : decision.conflicts) conflicts.push_back(jobs_.name(other));
  tell({.event = ReplayEvent::admitted,
        .job = jobs_.name(decision.job),
        .cost = decision.cost,
        .usage = decision.usage,
        .size = decision.size,
        .weighs = weighs(),
        .weight = decision.weight,
        .items = decision.items,
        .conflicts = conflicts});
}

void ReplayReporter::refused(const Decision& decision) const {
  tell({.event = ReplayEvent::refused,
        .job = jobs_.name(decision.job),
        .other = ahead_of(*decision.refusal),
        .weighs = weighs(),
        .weight = decision.weight,
        .refusal = *decision.refusal});
}

void ReplayReporter::turned_away(std::string_view name, const Refusal& refusal) const {
  tell({.event = ReplayEvent::refused, .job = name, .refusal = refusal});
}

void ReplayReporter::finished(JobId id, Outcome outcome) const {
  tell({.event = ReplayEvent::finished,
        .job = jobs_.name(id),
        .usage = core_.usage(),
        .outcome = outcome});
}

void ReplayReporter::cancelled(std::string_view name, const Refusal& refusal) const {
  tell({.event = ReplayEvent::cancelled,
        .job = name,
        .other = ahead_of(refusal),
        .refusal = refusal});
}

void ReplayReporter::window(const std::optional<WindowChange>& change) const {
  if (change) tell({.event = ReplayEvent::window, .change = &*change});
}

void ReplayReporter::registration(const std::optional<Refusal>& full) const {
  tell({.event = full ? ReplayEvent::deregistered : ReplayEvent::registered,
        .refusal = full.value_or(Refusal{})});
}

void ReplayReporter::instant(std::span<const double> pressures,
                             const std::optional<CpuStatus>& cpu) const {
  if (!sink_.on_instant) return;
  sink_.on_instant({now_.time_since_epoch(), core_.size(), core_.usage(), core_.running(),
                    core_.pending(), pressures, [this] { return core_.status(now_).resources; },
                    [this] { return core_.status(now_).limiting; }, cpu});
}

void ReplayReporter::tell(ReplayRecord record) const {
  record.t = now_.time_since_epoch();
  if (sink_.on_record) sink_.on_record(record);
}

std::string_view ReplayReporter::ahead_of(const Refusal& refusal) const {
  return refusal.ahead == JobId{} ? std::string_view{} : jobs_.name(refusal.ahead);
}

bool ReplayReporter::weighs() const {
  return core_.options().queueing.contention.mode != ContentionMode::off;
}

}  // namespace sluice::cli
