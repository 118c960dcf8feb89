#include "cli/autoscale/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/autoscale/stats.h"

namespace sluice::cli {
namespace {

int running_executors(const ReconcileResult& result) {
  const ScaleNumbers& numbers = result.decision.numbers;
  return numbers.executors - numbers.booting - result.unseen;
}

/// The actions taken, in a few words; empty if none.
std::string actions_text(const ReconcileResult& result) {
  std::string text;
  const auto say = [&](const char* verb, const std::vector<std::string>& names) {
    if (!names.empty())
      text += (text.empty() ? "" : "; ") + std::string(verb) + " " + join_words(names);
  };
  say("add", result.added);
  if (result.added_pods > 0) {
    text = "add " + std::to_string(result.added_pods) + (result.added_pods > 1 ? " pods" : " pod");
  }
  say("drain", result.drained);
  say("remove", result.removed);
  say("keep", result.kept);
  return text;
}

std::string sentence(const ReconcileResult& result) {
  if (!result.fleet.blind.empty()) return "nothing is done: " + result.fleet.blind;
  return describe(result.decision);
}

/// The actions and the reason; without actions, the decision.
std::string told(const ReconcileResult& result) {
  const std::string done = actions_text(result);
  const std::string said = sentence(result);
  const std::size_t colon = said.find(": ");
  if (done.empty() || colon == std::string::npos) return said;
  return done + said.substr(colon);
}

Colour colour_of(const ReconcileResult& result) {
  if (!why_blind(result).empty() || result.failures() > 0) return Colour::red;
  if (result.unseen > 0) return Colour::yellow;
  return actions_text(result).empty() ? Colour::none : Colour::green;
}

/// "12:00:03"
std::string clock_of(const Instant& instant) { return rfc3339(instant.wall).substr(11, 8); }

struct Column {
  const char* name;
  std::size_t gap;  ///< Blanks before it.
  std::size_t width;
};

constexpr std::array<Column, 9> kColumns{{{"UTC", 0, 8},
                                          {"run", 2, 3},
                                          {"boot", 1, 4},
                                          {"drain", 1, 5},
                                          {"unseen", 1, 6},
                                          {"points in use", 2, 13},
                                          {"running", 2, 7},
                                          {"queued", 1, 7},
                                          {"oldest wait", 2, 11}}};
using Cells = std::array<std::string, kColumns.size()>;

/// Total width; on narrower terminals the gaps shrink.
constexpr std::size_t kColumnsWidth = 76;

/// Whether the decision is beside the numbers; else it is below them, where it has more space.
bool is_beside(const Style& style) { return style.width == 0 || style.width >= 140; }

/// As many cells as fit.
std::string row_of(const Cells& cells, const Style& style) {
  const bool tight = style.width > 0 && style.width < kColumnsWidth;
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = kColumns[i];
    const std::string gap(tight ? std::min<std::size_t>(column.gap, 1) : column.gap, ' ');
    const std::string cell = i == 0 ? fmt::format("{:<{}}", cells[i], column.width)
                                    : fmt::format("{}{:>{}}", gap, cells[i], column.width);
    if (style.width > 0 && row.size() + cell.size() > style.width) break;
    row += cell;
  }
  return row;
}

Cells cells_of(const ReconcileResult& result, const Instant& instant) {
  const ScaleNumbers& numbers = result.decision.numbers;
  Cells cells;
  cells.fill("?");
  cells[0] = clock_of(instant);
  if (!result.fleet.blind.empty()) return cells;
  return {cells[0],
          std::to_string(running_executors(result)),
          std::to_string(numbers.booting),
          std::to_string(numbers.draining),
          std::to_string(result.unseen),
          fmt::format("{} of {}", numbers.usage.value, numbers.slots),
          std::to_string(running_jobs(result.fleet)),
          std::to_string(queued_jobs(result.observation)),
          numbers.queued > 0 ? duration_text(numbers.waited) : "-"};
}

}  // namespace

std::string autoscale_reason(const ReconcileResult& result) {
  return result.fleet.blind.empty() ? std::string(name_of(result.decision.reason)) : "blind";
}

std::string autoscale_head(const Style& style) {
  Cells names;
  std::transform(kColumns.begin(), kColumns.end(), names.begin(),
                 [](const Column& column) { return column.name; });
  return painted(style, Colour::bold,
                 row_of(names, style) + (is_beside(style) ? "  decision" : ""));
}

std::vector<std::string> autoscale_lines(const ReconcileResult& result, const Instant& instant,
                                         const Style& style) {
  const std::string row = row_of(cells_of(result, instant), style);
  const std::string what = harmless(told(result));
  std::vector<std::string> lines;
  if (is_beside(style)) {
    const std::size_t left = style.width - std::min(style.width, row.size() + 2);
    const std::size_t room = style.width == 0 ? 0 : std::max<std::size_t>(1, left);
    lines.push_back(row + "  " + painted(style, colour_of(result), cut(what, room)));
  } else {
    lines.push_back(row);
    lines.push_back(painted(style, colour_of(result), cut("          " + what, style.width)));
  }
  for (const std::string& note : result.notes) {
    lines.push_back(
        painted(style, Colour::yellow, cut("          ! " + harmless(note), style.width)));
  }
  for (const ExecutorObservation& each : result.fleet.executors) {
    if (each.problem.empty()) continue;
    const std::string text = "          ? " + harmless(each.id + " is not seen: " + each.problem);
    lines.push_back(painted(style, Colour::dim, cut(text, style.width)));
  }
  return lines;
}

std::string autoscale_json(const ReconcileResult& result, const Instant& instant) {
  const ScaleNumbers& numbers = result.decision.numbers;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("time", rfc3339(instant.wall));
  json.member_or_null("blind", why_blind(result));
  json.member("executors", result.fleet.blind.empty() ? &numbers : nullptr, [&](const auto& seen) {
    json.begin_object().member("running", running_executors(result));
    json.member("booting", seen.booting).member("draining", seen.draining);
    json.member("not_seen", result.unseen).end_object();
  });
  json.member("points", numbers.slots).member("usage", numbers.usage.value);
  json.member("running", running_jobs(result.fleet));
  json.member("queued", queued_jobs(result.observation));
  json.member("queued_points", numbers.queued);
  json.member("oldest_wait", to_seconds(numbers.waited)).member("desired", result.desired);
  json.member("reason", autoscale_reason(result)).member("text", sentence(result));
  json.member("add", result.decision.add).member("remove", result.decision.remove);
  json.member("added", result.added).member("added_pods", result.added_pods);
  json.member("drained", result.drained).member("removed", result.removed);
  json.member("kept", result.kept).member("notes", result.notes);
  json.object("problems", result.fleet.executors, [&](const ExecutorObservation& each) {
    if (!each.problem.empty()) json.member(each.id, each.problem);
  });
  json.end_object();
  return text + "\n";
}

}  // namespace sluice::cli
