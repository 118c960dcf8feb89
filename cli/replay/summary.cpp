#include "cli/replay/summary.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// Nearest-rank percentile: the least value that at least this part of all does not exceed.
double rank(const std::vector<Duration>& sorted, double part) {
  const auto place = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return to_seconds(sorted[std::max<std::size_t>(place, 1) - 1]);
}

namespace json = boost::json;

double part(double some, double all) { return all > 0 ? some / all : 0; }

/// Prefixes the first line of a block with a heading and the others with blanks.
class Block {
 public:
  explicit Block(std::string heading) : heading_(std::move(heading)) {}
  std::string line(const std::string& text) {
    return padded(std::exchange(heading_, ""), 12) + text + "\n";
  }

 private:
  std::string heading_;
};

}  // namespace

void ReplaySummary::add_record(const ReplayRecord& record) {
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

void ReplaySummary::add_instant(const ReplayInstant& instant) {
  integrate(instant.t);
  const auto set = [](Use& use, double used, double total) {
    use.last_used = used;
    use.last_total = total;
    use.peak = std::max(use.peak, used);
  };
  set(window_, static_cast<double>(instant.usage.value), static_cast<double>(instant.size.value));
  if (instant.cpu) {
    if (!cpus_) cpus_ = Cpus{};
    set(cpus_->use, instant.cpu->busy * instant.cpu->cpus, instant.cpu->cpus);
    cpus_->last_waiting = instant.cpu->waiting;
    cpus_->most_waiting = std::max(cpus_->most_waiting, instant.cpu->waiting);
  }
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
  const double passed = to_seconds(until - now_);
  now_ = until;
  const auto add = [&](Use& use) {
    use.total += use.last_total * passed;
    use.used += use.last_used * passed;
  };
  add(window_);
  if (cpus_) {
    add(cpus_->use);
    cpus_->waiting += cpus_->last_waiting * passed;
  }
  for (auto& [key, use] : managers_) add(use);
}

double ReplaySummary::per_hour() const {
  std::size_t ended = 0;
  for (const auto& [outcome, count] : finished_) ended += count;
  return now_ > Duration{0} ? static_cast<double>(ended) / to_seconds(now_) * 3600 : 0;
}

ReplaySummary::Percentiles ReplaySummary::percentiles(std::vector<Duration> waits) {
  if (waits.empty()) return {};
  std::sort(waits.begin(), waits.end());
  return {rank(waits, 0.5), rank(waits, 0.9), rank(waits, 0.99), to_seconds(waits.back())};
}

std::string ReplaySummary::text() const {
  std::string jobs = count_text(submitted_, "job") + " submitted";
  const auto also = [&](std::size_t count, const std::string& what) {
    if (count > 0) jobs += ", " + std::to_string(count) + " " + what;
  };
  for (const auto& [outcome, count] : finished_) {
    also(count, outcome == Outcome::ok ? "ended ok" : std::string(to_string(outcome)));
  }
  also(refused_, "refused for good");
  also(cancelled_, "cancelled before they ran");
  also(deduplicated_, "deduplicated");
  also(running_, "still running");
  also(waiting_.size(), "still waiting");
  std::string text = Block("jobs").line(jobs);
  text += Block("time").line(duration_text(now_) + ", " + number_text(per_hour(), 1) +
                             " jobs finished per hour");

  Block waits("waits");
  text += waits.line(padded("queue", 16) + padded_left("priority", 9) + padded_left("jobs", 9) +
                     padded_left("p50", 14) + padded_left("p90", 14) + padded_left("p99", 14) +
                     padded_left("max", 14));
  for (const auto& [group, list] : waits_) {
    const Percentiles of = percentiles(list);
    std::string line = padded(group.first, 16) + padded_left(std::to_string(group.second), 9) +
                       padded_left(std::to_string(list.size()), 9);
    for (const double value : {of.p50, of.p90, of.p99, of.max}) {
      line += padded_left(list.empty() ? "-" : duration_text(value), 14);
    }
    text += waits.line(line);
  }
  if (!longest_.job.empty()) {
    text += Block("longest").line(
        harmless(longest_.job) + " waited " + duration_text(longest_.wait) +
        (longest_.admitted ? "" : " and never ran") + " (queue " + longest_.group.first +
        ", priority " + std::to_string(longest_.group.second) + ")");
  }

  Duration all{0};
  for (const auto& [cause, time] : blocked_) all += time;
  Block blocked("blocked");
  if (all == Duration{0}) text += blocked.line("no job had to wait");
  for (const auto& [cause, time] : blocked_) {
    if (time == Duration{0}) continue;
    const bool named = !cause.second.empty() && cause.second != cause.first;
    text += blocked.line(padded(cause.first + (named ? " " + cause.second : ""), 32) +
                         padded_left(duration_text(time), 16) +
                         padded_left(percent_text(part(to_seconds(time), to_seconds(all))), 9) +
                         " of all waiting");
  }

  Block used("used");
  const double span = to_seconds(now_);
  const auto mean_of = [&](const std::string& name, const Use& use) {
    return padded(name, 16) + padded_left(percent_text(part(use.used, use.total)), 9) + ": " +
           number_text(part(use.used, span), 1) + " of " + number_text(part(use.total, span), 1);
  };
  text += used.line(mean_of("window", window_) + " points on average, at most " +
                    number_text(window_.peak, 1));
  if (cpus_) {
    text += used.line(mean_of("CPUs", cpus_->use) + " busy on average; " +
                      number_text(part(cpus_->waiting, span), 2) +
                      " tasks wait for each, at most " + number_text(cpus_->most_waiting, 2));
  }
  for (const auto& [key, use] : managers_) {
    text += used.line(mean_of(key, use) + " on average, at most " + number_text(use.peak, 1));
  }
  return text;
}

std::string ReplaySummary::json() const {
  json::object ended;
  for (const auto& [outcome, count] : finished_) ended[to_string(outcome)] = count;
  json::array waits;
  for (const auto& [group, list] : waits_) {
    const Percentiles of = percentiles(list);
    waits.push_back({{"queue", group.first},
                     {"priority", group.second},
                     {"jobs", list.size()},
                     {"p50_seconds", of.p50},
                     {"p90_seconds", of.p90},
                     {"p99_seconds", of.p99},
                     {"max_seconds", of.max}});
  }
  json::array blocked;
  for (const auto& [cause, time] : blocked_) {
    if (time == Duration{0}) continue;
    blocked.push_back(
        {{"code", cause.first}, {"binding", cause.second}, {"seconds", to_seconds(time)}});
  }
  const double span = to_seconds(now_);
  const auto use_of = [&](const Use& use) {
    return json::object{{"ratio", part(use.used, use.total)},
                        {"mean_used", part(use.used, span)},
                        {"mean_total", part(use.total, span)},
                        {"peak_used", use.peak}};
  };
  json::object managers;
  for (const auto& [key, use] : managers_) managers[key] = use_of(use);
  json::value cpu;
  if (cpus_) {
    cpu = {{"busy_ratio", part(cpus_->use.used, cpus_->use.total)},
           {"waiting_tasks", part(cpus_->waiting, span)},
           {"most_waiting_tasks", cpus_->most_waiting}};
  }
  json::value longest;
  if (!longest_.job.empty()) {
    longest = {{"job", longest_.job},
               {"seconds", to_seconds(longest_.wait)},
               {"queue", longest_.group.first},
               {"priority", longest_.group.second},
               {"admitted", longest_.admitted}};
  }
  const json::object summary{{"event", "summary"},
                             {"seconds", span},
                             {"submitted", submitted_},
                             {"finished", std::move(ended)},
                             {"refused", refused_},
                             {"cancelled", cancelled_},
                             {"deduplicated", deduplicated_},
                             {"running", running_},
                             {"waiting", waiting_.size()},
                             {"finished_per_hour", per_hour()},
                             {"waits", std::move(waits)},
                             {"longest_wait", std::move(longest)},
                             {"blocked", std::move(blocked)},
                             {"window", use_of(window_)},
                             {"cpu", std::move(cpu)},
                             {"managers", std::move(managers)}};
  return shown_json(json::serialize(summary));
}

}  // namespace sluice::cli
