#include <array>
#include <boost/json.hpp>
#include <cstdio>

#include "base/clock.h"
#include "cli/replay/summary.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

double part(double some, double all) { return all > 0 ? some / all : 0; }

std::string decimal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string percent(double ratio) { return decimal(100 * ratio) + " %"; }

/// Padded on the left, for numbers.
std::string right(const std::string& text, std::size_t columns) {
  const std::size_t width = columns_of(text);
  return std::string(columns - std::min(columns, width), ' ') + text;
}

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

std::string job_word(std::size_t count) { return count == 1 ? " job" : " jobs"; }

}  // namespace

std::string ReplaySummary::text() const {
  std::string jobs = std::to_string(submitted_) + job_word(submitted_) + " submitted";
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
  text += Block("time").line(duration_text(seconds(now_)) + ", " + decimal(per_hour()) +
                             " jobs finished per hour");

  Block waits("waits");
  text += waits.line(padded("queue", 16) + right("priority", 9) + right("jobs", 9) +
                     right("p50", 14) + right("p90", 14) + right("p99", 14) + right("max", 14));
  for (const auto& [group, list] : waits_) {
    const Percentiles of = percentiles(list);
    std::string line = padded(group.first, 16) + right(std::to_string(group.second), 9) +
                       right(std::to_string(list.size()), 9);
    for (const double value : {of.p50, of.p90, of.p99, of.max}) {
      line += right(list.empty() ? "-" : duration_text(value), 14);
    }
    text += waits.line(line);
  }
  if (!longest_.job.empty()) {
    text += Block("longest").line(
        harmless(longest_.job) + " waited " + duration_text(seconds(longest_.wait)) +
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
                         right(duration_text(seconds(time)), 16) +
                         right(percent(part(seconds(time), seconds(all))), 9) + " of all waiting");
  }

  Block used("used");
  const double span = seconds(now_);
  text +=
      used.line(padded("window", 16) + right(percent(part(window_.used, window_.total)), 9) + ": " +
                decimal(part(window_.used, span)) + " of " + decimal(part(window_.total, span)) +
                " points on average, at most " + decimal(window_.peak));
  for (const auto& [key, use] : managers_) {
    text += used.line(padded(key, 16) + right(percent(part(use.used, use.total)), 9) + ": " +
                      decimal(part(use.used, span)) + " of " + decimal(part(use.total, span)) +
                      " on average, at most " + decimal(use.peak));
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
        {{"code", cause.first}, {"binding", cause.second}, {"seconds", seconds(time)}});
  }
  const double span = seconds(now_);
  const auto use_of = [&](const Use& use) {
    return json::object{{"ratio", part(use.used, use.total)},
                        {"mean_used", part(use.used, span)},
                        {"mean_total", part(use.total, span)},
                        {"peak_used", use.peak}};
  };
  json::object managers;
  for (const auto& [key, use] : managers_) managers[key] = use_of(use);
  json::value longest;
  if (!longest_.job.empty()) {
    longest = {{"job", longest_.job},
               {"seconds", seconds(longest_.wait)},
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
                             {"managers", std::move(managers)}};
  return json::serialize(summary);
}

}  // namespace sluice::cli
