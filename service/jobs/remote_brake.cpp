#include "service/jobs/remote_brake.h"

#include <chrono>

#include "governor/memory/later_memory.h"

namespace sluice {
namespace {

/// Between two polls of the memory, however many jobs report.
constexpr Duration kPollInterval = std::chrono::milliseconds(50);

/// After this time a job's last report says nothing about its growth.
constexpr Duration kBrakeSilent = std::chrono::seconds(1);

/// Jobs over TCP have no owner; together they count as those of one.
std::uint64_t number_of(std::optional<uid_t> owner) {
  return owner ? std::uint64_t{*owner} + 1 : 0;
}

/// Memory only if the kernel confirms it.
JobUsage seen_of(JobUsage usage) {
  if (usage.source == JobUsage::Source::reported) usage.memory = Bytes{0};
  return usage;
}

}  // namespace

std::vector<BrakeAction> RemoteBrake::report(JobId job, const JobUsage& usage,
                                             const Prediction& expected, TimePoint now,
                                             std::optional<uid_t> owner, JobId parent) {
  if (!meter_) return {};
  const auto [found, is_new] = jobs_.try_emplace(job.value);
  Known& known = found->second;
  if (is_new) {
    known.use = MemoryUse::first(usage, now);
    known.parent = parent;
    brake_.started(job.value, MemoryBrake::Retry::never, number_of(owner));
  }
  known.use.see(usage, now);
  known.usage = seen_of(usage);
  known.expected = expected_from_now(z_, expected, known.use, now);
  known.reported = now;
  brake_.update_usage(job.value, known.usage, known.expected, now);
  return now - polled_ < kPollInterval ? std::vector<BrakeAction>{} : poll(now);
}

std::vector<BrakeAction> RemoteBrake::ended(JobId job, TimePoint now) {
  brake_.ended(job.value);
  const bool is_known = jobs_.erase(job.value) > 0;
  // A thousand may end at once.
  const bool is_due = is_known && brake_.suspends_any() && now - end_polled_ >= kPollInterval;
  if (!is_due) return {};
  end_polled_ = now;
  return poll(now);
}

const Suspension* RemoteBrake::suspension(JobId job) const {
  const auto found = jobs_.find(job.value);
  const bool held = found != jobs_.end() && found->second.suspended;
  return held ? &*found->second.suspended : nullptr;
}

void RemoteBrake::note_silent(TimePoint now) {
  for (auto& [job, known] : jobs_) {
    if (now - known.reported < kBrakeSilent) continue;
    brake_.update_usage(job, known.usage, known.expected, now);
    known.reported = now;
  }
}

void RemoteBrake::see(const std::vector<MemoryLimit>& limits, TimePoint now) {
  std::map<std::string, MemoryTrend, std::less<>> seen;
  for (const MemoryLimit& each : limits) {
    const auto before = levels_.find(each.where);
    MemoryTrend& level = seen[each.where];
    if (before != levels_.end()) level = before->second;
    level.observe(each.used, now);
  }
  levels_ = std::move(seen);
}

/// Jobs with children, except those suspended together with all jobs below them.
std::set<std::uint64_t> RemoteBrake::parents() const {
  std::set<std::uint64_t> parents;
  for (const auto& [job, known] : jobs_) {
    const auto parent = jobs_.find(known.parent.value);
    if (parent != jobs_.end() && !parent->second.suspended) parents.insert(parent->first);
  }
  return parents;
}

std::vector<BrakeAction> RemoteBrake::poll(TimePoint now) {
  polled_ = now;
  note_silent(now);
  const std::set<std::uint64_t> exempt = parents();
  BrakeCallbacks callbacks;
  callbacks.is_suspended = [this](std::uint64_t job) {
    return jobs_.at(job).suspended.has_value();
  };
  // Nothing to carry out: the holder learns of it from the answer to its next report.
  callbacks.growth = [this](const MemoryLimit& level) {
    const auto found = levels_.find(level.where);
    return found == levels_.end() ? std::nullopt : std::optional(found->second.growth);
  };
  callbacks.is_exempt = [&](std::uint64_t job) { return exempt.contains(job); };
  const std::vector<MemoryLimit> limits = meter_(now);
  see(limits, now);
  auto actions = brake_.poll(limits, callbacks);
  for (const BrakeAction& action : actions) {
    auto& suspended = jobs_.at(action.job).suspended;
    if (action.what == BrakeAction::What::suspended) {
      suspended = {action, now};
    } else {
      suspended.reset();
    }
  }
  return actions;
}

}  // namespace sluice
