#include "cli/batch/run_summary.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "base/seconds.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostFailures = 5;
constexpr std::size_t kMostChanges = 12;

/// The reason that the first waiting job waits, as one word.
std::string limit_of(const Status& status) {
  if (!status.limiting) return "";
  const Refusal& refusal = *status.limiting;
  if (refusal.code == RefusalCode::sensor) return "sensor " + std::string(refusal.binding);
  return std::string(to_string(refusal.code));
}

}  // namespace

void RunSummary::observe(const Status& status) {
  if (!observed_) first_size_ = least_size_ = most_size_ = status.size;
  observed_ = true;
  if (!limited_by_.empty()) limits_[limited_by_] += to_seconds(status.now - seen_);
  limited_by_ = limit_of(status);
  seen_ = status.now;
  last_size_ = status.size;
  least_size_ = std::min(least_size_, status.size);
  most_size_ = std::max(most_size_, status.size);
  peak_usage_ = std::max(peak_usage_, status.usage);
}

void RunSummary::note_finished(bool ok, double seconds) {
  ++finished_;
  if (!ok) ++failed_;
  job_seconds_ += seconds;
}

void RunSummary::note_failed_unrun(std::string what) {
  ++failed_;
  note_failure(std::move(what));
}

void RunSummary::note_running(std::size_t jobs, TimePoint now) {
  at_once_[running_] += to_seconds(now - running_since_);
  running_ = jobs;
  running_since_ = now;
}

std::map<std::string, std::size_t> RunSummary::cuts() const {
  std::map<std::string, std::size_t> cuts;
  for (const WindowChange& change : changes_) {
    if (change.to < change.from && !change.sensor.empty()) ++cuts[std::string(change.sensor)];
  }
  return cuts;
}

double RunSummary::elapsed(TimePoint now) const { return to_seconds(now - began_); }

double RunSummary::eta(TimePoint now, std::size_t total) const {
  if (finished_ == 0) return -1;
  return elapsed(now) / static_cast<double>(finished_) * static_cast<double>(total - finished_);
}

std::string RunSummary::text(std::size_t total, TimePoint now) const {
  const double makespan = elapsed(now);
  std::string text = "jobs        " + std::to_string(finished_) + " of " + std::to_string(total) +
                     " ran, " + std::to_string(failed_) + " failed" +
                     (stopped_ > 0 ? ", " + std::to_string(stopped_) + " stopped" : "") + "\n";
  text += "makespan    " + duration_text(makespan) + ", " +
          number_text(makespan > 0 ? job_seconds_ / makespan : 0, 1) + " jobs at once on average\n";
  if (observed_) text += governor_text();
  for (std::size_t i = 0; i < failures_.size() && i < kMostFailures; ++i) {
    text += "failed      " + failures_[i] + "\n";
  }
  if (failures_.size() > kMostFailures) {
    text += "            and " + std::to_string(failures_.size() - kMostFailures) + " more\n";
  }
  return text;
}

std::string RunSummary::governor_text() const {
  std::string text = "peak usage  " + std::to_string(peak_usage_.value) + " points\n";
  text += "window      " + std::to_string(first_size_.value) + " points at the start, " +
          std::to_string(last_size_.value) + " at the end, between " +
          std::to_string(least_size_.value) + " and " + std::to_string(most_size_.value) + "\n";
  const std::size_t skipped = changes_.size() - std::min(changes_.size(), kMostChanges);
  if (skipped > 0) text += "              " + std::to_string(skipped) + " earlier changes\n";
  for (std::size_t i = skipped; i < changes_.size(); ++i) {
    const WindowChange& change = changes_[i];
    text += "              " + padded("at " + duration_text(change.at - began_), 16) +
            to_sentence(change) + "\n";
  }
  text += "limited by  ";
  if (limits_.empty()) text += "nothing: no job had to wait";
  bool first = true;
  for (const auto& [name, seconds] : limits_) {
    text += (first ? "" : ", ") + name + " for " + duration_text(seconds);
    first = false;
  }
  return text + "\n";
}

json::object RunSummary::object(std::size_t total, TimePoint now) const {
  json::array changes;
  for (const WindowChange& change : changes_) {
    json::object entry{{"t", to_seconds(change.at - began_)},
                       {"from", change.from.value},
                       {"to", change.to.value},
                       {"cause", to_string(change.cause)}};
    if (!change.sensor.empty()) entry["sensor"] = change.sensor;
    changes.push_back(std::move(entry));
  }
  json::object object{{"event", "summary"},
                      {"jobs", total},
                      {"finished", finished_},
                      {"failed", failed_},
                      {"stopped", stopped_},
                      {"makespan_seconds", elapsed(now)},
                      {"job_seconds", job_seconds_},
                      {"peak_usage", nullptr},
                      {"window", nullptr},
                      {"limited_seconds", nullptr},
                      {"failures", json::value_from(failures_)}};
  if (!observed_) return object;
  object["peak_usage"] = peak_usage_.value;
  object["window"] = {{"first", first_size_.value},
                      {"last", last_size_.value},
                      {"least", least_size_.value},
                      {"most", most_size_.value},
                      {"changes", std::move(changes)}};
  object["limited_seconds"] = json::value_from(limits_);
  return object;
}

}  // namespace sluice::cli
