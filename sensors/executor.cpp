#include "sensors/executor.h"

#include "base/text.h"
#include "sensors/pod_processes.h"
#include "sensors/pressure.h"

namespace sluice {

Reading limits_reading(const ExecutorGroup& group, const std::optional<Bytes>& used,
                       const CgroupLimits& limits) {
  Reading reading;
  reading.source = to_string(*group.source);
  const std::string cpus = group.cpus ? "; " + cpus_text(*group.cpus) : "; no CPU quota known";
  if (!group.memory_limit) {
    reading.sentence = "memory unlimited" + cpus;
    return reading;
  }
  const auto total = static_cast<double>(group.memory_limit->value);
  if (!used) {
    reading.sentence = "memory limit " + bytes_text(total) +
                       ", usage not visible here: the pod's processes are not shared" + cpus;
    return reading;
  }
  const auto value = static_cast<double>(used->value);
  const double pressure =
      total > 0 ? pressure_at_most(value / total, limits.memory, AtLimit::allowed) : kMostPressure;
  reading.conditions.push_back(
      {"memory", value, limits.memory * total, total, Unit::bytes, pressure});
  reading.sentence = "the pod's processes hold " + bytes_text(value) + " of at most " +
                     bytes_text(limits.memory * total) + " (" + percent_text(limits.memory) +
                     " of " + bytes_text(total) + ")" + cpus;
  return reading;
}

Result<Reading> ExecutorSensor::read(TimePoint now) {
  if (!group_->source) return ReadFailure{group_->problem};
  if (group_->folders.empty()) return limits_reading(*group_, pod_memory(paths_), limits_);
  if (const auto gone = why_gone(*group_)) return ReadFailure{*gone};
  auto reading = sensor_.read(now);
  // It may have just gone, which says more than the failed read.
  if (!value_in(reading)) {
    if (const auto gone = why_gone(*group_)) return ReadFailure{*gone};
  }
  return reading;
}

}  // namespace sluice
