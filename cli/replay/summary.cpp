#include "cli/replay/summary.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace sluice::cli {
namespace {

/// Nearest-rank percentile: the least value that at least this part of all does not exceed.
double rank(const std::vector<Duration>& sorted, double part) {
  const auto place = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return seconds(sorted[std::max<std::size_t>(place, 1) - 1]);
}

}  // namespace

void ReplaySummary::note(const ReplayRecord& record) {
  switch (record.event) {
    case ReplayEvent::submitted:
      ++submitted_;
      begin_wait(record);
      return;
    case ReplayEvent::deduplicated:
      ++deduplicated_;
      waiting_.erase(std::string(record.job));
      return;
    case ReplayEvent::refused:
      if (record.refusal.code == RefusalCode::impossible ||
          record.refusal.code == RefusalCode::max_pending) {
        ++refused_;
        waiting_.erase(std::string(record.job));
        return;
      }
      blame(record,
            {std::string(to_string(record.refusal.code)), std::string(record.refusal.binding)});
      return;
    case ReplayEvent::cancelled:
      ++cancelled_;
      end_wait(record, false);
      return;
    case ReplayEvent::admitted:
      ++running_;
      end_wait(record, true);
      return;
    case ReplayEvent::finished:
      --running_;
      ++finished_[record.outcome];
      return;
    case ReplayEvent::window:
    case ReplayEvent::registered:
    case ReplayEvent::deregistered:
      return;
  }
}

void ReplaySummary::note(const ReplayInstant& instant) {
  integrate(instant.t);
  const auto set = [](Use& use, double used, double total) {
    use.last_used = used;
    use.last_total = total;
    use.peak = std::max(use.peak, used);
  };
  set(window_, static_cast<double>(instant.usage.value), static_cast<double>(instant.size.value));
  for (const ResourceStatus& manager : instant.resources()) {
    if (manager.kind == ResourceOptions::Kind::highlander) continue;
    set(managers_[manager.key], static_cast<double>(manager.used),
        static_cast<double>(manager.total));
  }
}

void ReplaySummary::end(Duration at) {
  integrate(at);
  for (auto& [job, waiting] : waiting_) {
    *waiting.blocked += at - waiting.told;
    waiting.told = at;
  }
  // Hash tables are unordered: of equally long waits, the first name counts.
  std::vector<std::pair<std::string, const Waiting*>> left;
  for (const auto& [job, waiting] : waiting_) left.emplace_back(job, &waiting);
  std::sort(left.begin(), left.end());
  for (const auto& [job, waiting] : left) compare(job, at - waiting->since, *waiting->group, false);
}

void ReplaySummary::begin_wait(const ReplayRecord& record) {
  const auto group = waits_.try_emplace({std::string(record.queue), record.priority}).first;
  Duration& behind = blocked_[{"behind", ""}];
  waiting_[std::string(record.job)] = {record.t, record.t, &group->first, &behind};
}

void ReplaySummary::blame(const ReplayRecord& record, Cause cause) {
  const auto found = waiting_.find(std::string(record.job));
  if (found == waiting_.end()) return;
  Waiting& waiting = found->second;
  *waiting.blocked += record.t - waiting.told;
  waiting.told = record.t;
  waiting.blocked = &blocked_[std::move(cause)];
}

void ReplaySummary::end_wait(const ReplayRecord& record, bool admitted) {
  const auto found = waiting_.find(std::string(record.job));
  if (found == waiting_.end()) return;
  const Waiting waiting = found->second;
  *waiting.blocked += record.t - waiting.told;
  const Duration wait = record.t - waiting.since;
  if (admitted) waits_[*waiting.group].push_back(wait);
  compare(record.job, wait, *waiting.group, admitted);
  waiting_.erase(found);
}

void ReplaySummary::compare(std::string_view job, Duration wait, const Group& group,
                            bool admitted) {
  if (wait > longest_.wait) longest_ = {std::string(job), wait, group, admitted};
}

void ReplaySummary::integrate(Duration until) {
  const double passed = seconds(until - now_);
  now_ = until;
  const auto add = [&](Use& use) {
    use.total += use.last_total * passed;
    use.used += use.last_used * passed;
  };
  add(window_);
  for (auto& [key, use] : managers_) add(use);
}

double ReplaySummary::per_hour() const {
  std::size_t ended = 0;
  for (const auto& [outcome, count] : finished_) ended += count;
  return now_ > Duration{0} ? static_cast<double>(ended) / seconds(now_) * 3600 : 0;
}

ReplaySummary::Percentiles ReplaySummary::percentiles(std::vector<Duration> waits) {
  if (waits.empty()) return {};
  std::sort(waits.begin(), waits.end());
  return {rank(waits, 0.5), rank(waits, 0.9), rank(waits, 0.99), seconds(waits.back())};
}

}  // namespace sluice::cli
