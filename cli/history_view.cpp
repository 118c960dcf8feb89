#include "cli/history_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"
#include "service/api/view.h"
#include "service/protocol/usage_body.h"
#include "sluice/prediction.h"

namespace sluice::cli {
namespace {

using HistoryRow = std::vector<std::string>;

constexpr std::array kOutcomeOrder{Outcome::ok, Outcome::failed, Outcome::oom, Outcome::cancelled};

/// "11 ok, 1 oom"
std::string outcomes_text(const History::Summary& summary) {
  std::string text;
  for (const Outcome outcome : kOutcomeOrder) {
    const auto found = summary.outcomes.find(outcome);
    if (found == summary.outcomes.end()) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " ";
    text += to_string(outcome);
  }
  return text;
}

std::string age_text(std::int64_t then, std::int64_t now) {
  return duration_text(static_cast<double>(now - then)) + " ago";
}

std::string need_text(const std::optional<MemoryNeed>& need) {
  if (!need) return "-";
  return bytes_text(need->mean) + " +- " + bytes_text(need->deviation);
}

std::string time_text(const std::optional<Duration>& duration) {
  return duration ? duration_text(*duration) : "-";
}

std::string moment_text(std::int64_t seconds) {
  const std::string text =
      rfc3339(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)));
  return text.substr(0, text.find('.')) + "Z";
}

void write_summary(JsonWriter& json, const History::Summary& summary) {
  json.member("user", summary.user).member("key", summary.key);
  json.member("program", summary.program);
  json.member("runs", summary.samples);
  json.object("outcomes", kOutcomeOrder, [&](Outcome outcome) {
    const auto found = summary.outcomes.find(outcome);
    json.member(to_string(outcome), found == summary.outcomes.end() ? 0 : found->second);
  });
  json.member("last_ended", moment_text(summary.last_ended));
  json.member("busy_cores", summary.cores).key("memory").begin_object();
  json.member("mean", std::llround(summary.memory_mean));
  json.member("deviation", std::llround(summary.memory_deviation));
  json.member("p95", std::llround(summary.memory_p95)).end_object();
  json.member("duration", summary.duration).member("cost", summary.next.cost).key("next");
  write_prediction(json, summary.next);
}

}  // namespace

std::string history_table(std::vector<History::Summary> summaries, std::int64_t now) {
  std::ranges::stable_sort(summaries, std::greater{}, &History::Summary::last_ended);
  const bool has_users = std::ranges::any_of(
      summaries, [](const History::Summary& each) { return !each.user.empty(); });
  std::vector<HistoryRow> rows{
      {"KEY", "RUNS", "COST", "CORES", "MEMORY", "P95", "TIME", "LAST", "OUTCOMES"}};
  if (has_users) rows[0].insert(rows[0].begin() + 1, "USER");
  for (const History::Summary& each : summaries) {
    rows.push_back({harmless(each.key), std::to_string(each.samples),
                    std::to_string(each.next.cost.value), fmt::format("{:.1f}", each.cores),
                    need_text(each.next.memory), bytes_text(each.memory_p95),
                    time_text(each.next.duration), age_text(each.last_ended, now),
                    outcomes_text(each)});
    if (!has_users) continue;
    rows.back().insert(rows.back().begin() + 1, each.user.empty() ? "-" : harmless(each.user));
  }
  return aligned(rows);
}

std::string history_detail(const History::Summary& summary, const std::vector<Sample>& runs,
                           std::int64_t now) {
  std::string text = harmless(summary.key) + "\n";
  if (!summary.user.empty()) text += "  user      " + harmless(summary.user) + "\n";
  text += "  program   " + harmless(summary.program) + "\n";
  text += fmt::format("  runs      {}, the last {} ({})\n", summary.samples,
                      age_text(summary.last_ended, now), outcomes_text(summary));
  text += fmt::format("  next      cost {}, {} of memory, {} ({})\n",
                      count_text(static_cast<std::uint64_t>(summary.next.cost.value), "point"),
                      need_text(summary.next.memory), time_text(summary.next.duration),
                      known_by(to_string(summary.next.rung)));
  text += "  p95       " + bytes_text(summary.memory_p95) + " of memory\n\n";
  std::vector<HistoryRow> rows{{"ENDED", "CORES", "MEMORY", "TIME", "OUTCOME"}};
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    rows.push_back({moment_text(run->ended), fmt::format("{:.2f}", run->busy_cores),
                    bytes_text(run->peak_memory), duration_text(run->wall),
                    std::string(to_string(run->outcome))});
  }
  return text + aligned(rows);
}

std::string history_json(const std::vector<History::Summary>& summaries) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().list("keys", summaries, [&](const History::Summary& each) {
    json.begin_object();
    write_summary(json, each);
    json.end_object();
  });
  json.end_object();
  return text + "\n";
}

std::string history_json(const History::Summary& summary, const std::vector<Sample>& runs) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_summary(json, summary);
  json.list("samples", runs, [&](const Sample& run) {
    json.begin_object().member("ended", moment_text(run.ended));
    json.member("outcome", to_string(run.outcome)).member("busy_cores", run.busy_cores);
    json.member("peak_memory", run.peak_memory).member("wall", run.wall).end_object();
  });
  json.end_object();
  return text + "\n";
}

std::string forgotten_text(const std::vector<ForgottenKey>& forgotten) {
  std::string lines;
  std::size_t runs = 0;
  for (const ForgottenKey& each : forgotten) {
    runs += each.runs;
    lines += "  " + harmless(each.key);
    if (!each.user.empty()) lines += " of user " + harmless(each.user);
    lines += ": " + count_text(each.runs, "run") + "\n";
  }
  return "forgot " + count_text(forgotten.size(), "key") + ", " + count_text(runs, "run") + "\n" +
         lines;
}

std::string forgotten_json(const std::vector<ForgottenKey>& forgotten) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("forgotten", forgotten.size());
  json.list("keys", forgotten, [&](const ForgottenKey& each) {
    json.begin_object().member("user", each.user).member("key", each.key);
    json.member("runs", each.runs).end_object();
  });
  json.end_object();
  return text + "\n";
}

}  // namespace sluice::cli
