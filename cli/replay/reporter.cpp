#include "cli/replay/reporter.h"

#include <vector>

namespace sluice::cli {
namespace {

std::string_view default_queue(const QueueingOptions& options) {
  if (options.queues.empty() || options.queues.contains("default")) return "default";
  return options.queues.begin()->first;
}

void tell(const ReplaySink& sink, const ReplayRecord& record) {
  if (sink.on_record) sink.on_record(record);
}

}  // namespace

void ReplayReporter::submitted(const JobRequest& request) const {
  const QueueingOptions& options = core_.options().queueing;
  const auto key = options.keys.find(request.key);
  const KeyOptions* defined = key == options.keys.end() ? nullptr : &key->second;
  ReplayRecord record = begin(ReplayEvent::submitted, request.id);
  record.queue = request.queue;
  if (record.queue.empty() && defined && defined->queue) record.queue = *defined->queue;
  if (record.queue.empty()) record.queue = default_queue(options);
  record.priority = request.priority.value_or(defined ? defined->priority.value_or(0) : 0);
  tell(sink_, record);
}

void ReplayReporter::deduplicated(std::string_view name, JobId as) const {
  ReplayRecord record = begin(ReplayEvent::deduplicated, name);
  record.other = jobs_.name(as);
  tell(sink_, record);
}

void ReplayReporter::admitted(const Decision& decision) const {
  std::vector<std::string_view> conflicts;
  for (const JobId other : decision.conflicts) conflicts.push_back(jobs_.name(other));
  ReplayRecord record = begin(ReplayEvent::admitted, jobs_.name(decision.job));
  record.cost = decision.cost;
  record.usage = decision.usage;
  record.size = decision.size;
  record.weighs = weighs();
  record.weight = decision.weight;
  record.items = decision.items;
  record.conflicts = conflicts;
  tell(sink_, record);
}

void ReplayReporter::refused(const Decision& decision) const {
  ReplayRecord record = begin(ReplayEvent::refused, jobs_.name(decision.job));
  record.refusal = *decision.refusal;
  record.weighs = weighs();
  record.weight = decision.weight;
  if (decision.refusal->ahead != JobId{}) record.other = jobs_.name(decision.refusal->ahead);
  tell(sink_, record);
}

void ReplayReporter::turned_away(std::string_view name, const Refusal& refusal) const {
  ReplayRecord record = begin(ReplayEvent::refused, name);
  record.refusal = refusal;
  tell(sink_, record);
}

void ReplayReporter::finished(JobId id, Outcome outcome) const {
  ReplayRecord record = begin(ReplayEvent::finished, jobs_.name(id));
  record.usage = core_.usage();
  record.outcome = outcome;
  tell(sink_, record);
}

void ReplayReporter::cancelled(std::string_view name, const Refusal& refusal) const {
  ReplayRecord record = begin(ReplayEvent::cancelled, name);
  record.refusal = refusal;
  if (refusal.ahead != JobId{}) record.other = jobs_.name(refusal.ahead);
  tell(sink_, record);
}

void ReplayReporter::window(const std::optional<WindowChange>& change) const {
  if (!change) return;
  ReplayRecord record = begin(ReplayEvent::window);
  record.change = &*change;
  tell(sink_, record);
}

void ReplayReporter::registration(const std::optional<Refusal>& full) const {
  ReplayRecord record = begin(full ? ReplayEvent::deregistered : ReplayEvent::registered);
  if (full) record.refusal = *full;
  tell(sink_, record);
}

void ReplayReporter::instant(std::span<const double> pressures,
                             const std::optional<CpuStatus>& cpu) const {
  if (!sink_.on_instant) return;
  sink_.on_instant({now_.time_since_epoch(), core_.size(), core_.usage(), core_.running(),
                    core_.pending(), pressures, [this] { return core_.status(now_).resources; },
                    [this] { return core_.status(now_).limiting; }, cpu});
}

ReplayRecord ReplayReporter::begin(ReplayEvent event, std::string_view job) const {
  ReplayRecord record;
  record.t = now_.time_since_epoch();
  record.event = event;
  record.job = job;
  return record;
}

bool ReplayReporter::weighs() const {
  return core_.options().queueing.contention.mode != ContentionMode::off;
}

}  // namespace sluice::cli
