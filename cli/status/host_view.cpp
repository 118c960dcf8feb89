#include "cli/status/host_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ranges>
#include <span>
#include <utility>

#include "base/suggest.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kBarCells = 16;
constexpr std::size_t kNarrow =
    100;  ///< Columns; in less, a long bar leaves no space for its text.
constexpr std::size_t kMostName = 40;  ///< Columns of a job's id, and of its name.

Colour colour_of(const std::string& verdict) {
  if (verdict == "green") return Colour::green;
  if (verdict == "ignored") return Colour::dim;
  return verdict == "red" ? Colour::red : Colour::yellow;
}

/// Width in columns of the longest text in a list, as displayed.
template <typename Rows, typename Row>
std::size_t widest_of(const Rows& rows, std::string Row::*text) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, columns_of(harmless(row.*text)));
  return widest;
}

std::string window_line(const HostView& view, const Style& style) {
  const double part =
      view.size > 0 ? static_cast<double>(view.usage) / static_cast<double>(view.size) : 0;
  std::string line = "window   " + bar(part, bar_cells(style)) + " " +
                     painted(style, Colour::bold, std::to_string(view.usage)) + " of " +
                     painted(style, Colour::bold, std::to_string(view.size)) + " points in use";
  line += "  (" + view.law + ", " + std::to_string(view.minimum) + " to " +
          std::to_string(view.maximum);
  if (view.threshold) line += ", slow start to " + std::to_string(*view.threshold);
  return line + ")";
}

std::string cpu_line(const CpuStatus& cpu, const Style& style) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                " %.0f%% busy, %.1f waiting per CPU; jobs need %.1f, others %.1f of %g",
                100 * cpu.busy, cpu.waiting, cpu.demand, cpu.others,
                std::round(10 * cpu.cpus) / 10);
  return "cpu      " + bar(cpu.busy, bar_cells(style)) + text.data();
}

std::string memory_line(const HostView::MemoryRow& memory, const Style& style) {
  const double taken = memory.others + memory.kept + memory.margin;
  const std::string line =
      "memory   " + bar(memory.promised > 0 ? taken / memory.promised : 1, bar_cells(style)) + " " +
      bytes_text(memory.kept) + " for jobs, " + bytes_text(memory.margin) + " margin, " +
      bytes_text(memory.others) + " others, of " + bytes_text(memory.promised);
  const std::string unverified =
      memory.unverified > 0 ? ", " + std::to_string(memory.unverified) + " unverified" : "";
  return line + unverified + "  (" + harmless(memory.where) + ")";
}

/// A sensor that is below its limit but still red must say why.
std::string hysteresis_text(const HostView::SensorRow& sensor) {
  const bool held = sensor.pressure < 1 && sensor.pressure >= sensor.resume;
  if (sensor.verdict != "red" || !held) return "";
  const auto percent = static_cast<int>(sensor.resume * 100 + 0.5);
  return ", red until below " + std::to_string(percent) + "% of that";
}

std::vector<std::string> sensor_lines(const std::vector<HostView::SensorRow>& sensors,
                                      const Style& style) {
  const std::size_t widest = widest_of(sensors, &HostView::SensorRow::name);
  const std::size_t cells = bar_cells(style);
  std::vector<std::string> lines;
  for (const auto& sensor : sensors) {
    const std::string gauge = sensor.limited ? bar(sensor.pressure, cells) : padded("", cells + 2);
    const std::string verdict =
        painted(style, colour_of(sensor.verdict), padded(sensor.verdict, 7));
    lines.push_back("  " + padded(harmless(sensor.name), widest) + " " + gauge + " " + verdict +
                    " " + harmless(sensor.sentence) + hysteresis_text(sensor));
  }
  return lines;
}

/// Closest to its limit first.
std::vector<std::string> sensors_in_brief(const HostView& view, const Style& style) {
  std::vector<HostView::SensorRow> others;
  std::string names;
  for (const auto& sensor : view.sensors) {
    if (sensor.verdict == "green") {
      names += (names.empty() ? "" : ", ") + harmless(sensor.name);
    } else {
      others.push_back(sensor);
    }
  }
  std::ranges::stable_sort(others, std::greater(), &HostView::SensorRow::pressure);
  std::vector<std::string> lines{"sensors  " + (names.empty() ? "none green" : "green: " + names)};
  for (std::string& line : sensor_lines(others, style)) lines.push_back(std::move(line));
  return lines;
}

/// A single queue adds nothing to what its jobs show.
void add_queues(const HostView& view, const Style& style, std::vector<std::string>& lines) {
  const bool paused = !view.queues.empty() && view.queues[0].paused;
  if (view.queues.size() < 2 && !paused) return;
  const std::size_t widest = widest_of(view.queues, &HostView::QueueRow::name);
  const bool has_branches = std::ranges::any_of(
      view.queues, [](const HostView::QueueRow& queue) { return queue.ended.has_value(); });
  lines.push_back("queues");
  for (const auto& queue : view.queues) {
    const std::string state = painted(style, queue.paused ? Colour::yellow : Colour::green,
                                      padded(queue.paused ? "paused" : "open", 6));
    std::string line = "  " + padded(harmless(queue.name), widest) + "  " + state + "  " +
                       padded(std::to_string(queue.running) + " running", 12) +
                       padded(std::to_string(queue.pending) + " pending", 12);
    if (has_branches) line += padded(queue.ended ? std::to_string(*queue.ended) + " done" : "", 12);
    if (queue.pending > 0) line += padded(duration_text(queue.waited), 12) + harmless(queue.reason);
    lines.push_back(line);
  }
}

std::string resource_text(const HostView::ResourceRow& resource) {
  if (!resource.total) return std::to_string(resource.used) + " running";
  return std::to_string(resource.used) + " of " + std::to_string(*resource.total) + " in use";
}

double part_of(const HostView::ResourceRow& resource) {
  const std::int64_t total = resource.total.value_or(0);
  if (total <= 0) return resource.used > 0 ? 1 : 0;
  return static_cast<double>(resource.used) / static_cast<double>(total);
}

void add_resources(const HostView& view, const Style& style, std::vector<std::string>& lines) {
  if (view.resources.empty()) return;
  const std::size_t widest = widest_of(view.resources, &HostView::ResourceRow::name);
  std::size_t widest_text = 0;
  for (const auto& resource : view.resources) {
    widest_text = std::max(widest_text, resource_text(resource).size());
  }
  lines.push_back("resources");
  for (const auto& resource : view.resources) {
    const std::size_t cells = bar_cells(style);
    const std::string gauge =
        resource.total ? bar(part_of(resource), cells) : padded("", cells + 2);
    std::string line = "  " + padded(harmless(resource.name), widest) + " " + gauge + " " +
                       padded(resource.kind, 10) + "  " +
                       padded(resource_text(resource), widest_text);
    if (resource.waiting > 0) line += "  " + std::to_string(resource.waiting) + " waiting";
    lines.push_back(line);
  }
}

/// "source   gearman queue1:4730  connected, 2 jobs, offers executor:execute"
std::string source_line(const HostView::SourceRow& source, const Style& style) {
  std::string line = "source   " + source.kind + " " + harmless(source.server) + "  ";
  line += source.connected ? painted(style, Colour::green, "connected")
                           : painted(style, Colour::red, "not connected");
  if (!source.problem.empty()) line += " (" + harmless(source.problem) + ")";
  line += ", " + count_text(source.jobs, "job");
  if (!source.connected) return line;
  if (source.offered.empty()) return line + ", offers nothing";
  return line + ", offers " + join_words(source.offered | std::views::transform(harmless));
}

}  // namespace

std::size_t bar_cells(const Style& style) {
  return style.width > 0 && style.width < kNarrow ? 6 : kBarCells;
}

HostLines parts_of(const HostView& view, const Style& style) {
  HostLines parts;
  parts.state.push_back("state    " + painted(style,
                                              view.takes_work ? Colour::green : Colour::yellow,
                                              harmless(view.state)));
  for (const auto& [what, why] :
       {std::pair("jobs are in memory only: ", &view.unkept),
        std::pair("decisions are not recorded: ", &view.unrecorded),
        std::pair("learned runs are in memory only: ", &view.unlearned)}) {
    if (why->empty()) continue;
    parts.state.push_back("unsaved  " + painted(style, Colour::red, what + harmless(*why)));
  }
  parts.window.push_back(window_line(view, style));
  if (view.cpu) parts.window.push_back(cpu_line(*view.cpu, style));
  if (view.memory) parts.window.push_back(memory_line(*view.memory, style));
  if (!view.last_change.empty()) {
    parts.window.push_back("changed  " + harmless(view.last_change));
  }
  for (const std::string& line : view.shadow) {
    parts.window.push_back("shadow   " + harmless(line));
  }
  parts.sensors = sensor_lines(view.sensors, style);
  parts.sensors_in_brief = sensors_in_brief(view, style);
  add_queues(view, style, parts.rest);
  add_resources(view, style, parts.rest);
  for (const HostView::SourceRow& source : view.sources) {
    parts.rest.push_back(source_line(source, style));
  }
  return parts;
}

namespace {

/// Columns of the ids and the names in a list of jobs.
struct NameColumns {
  std::size_t id = 0, name = 0;
};

/// Each at most half of what the cost, the time and the reasons leave, and what the other does not
/// need. Long reasons get a third of the width.
NameColumns name_columns(std::span<const HostView::JobRow> jobs, std::size_t width) {
  constexpr std::size_t kOthers = 30;   // Blanks, the cost and the time.
  constexpr std::size_t kLeast = 14;    // Below it, names would say nothing; reasons give way.
  constexpr std::size_t kReasons = 38;  // Most reasons; names give way.
  const std::size_t id = std::min(kMostName, widest_of(jobs, &HostView::JobRow::id));
  const std::size_t name = std::min(kMostName, widest_of(jobs, &HostView::JobRow::name));
  if (width == 0) return {id, name};
  const std::size_t beside = std::max(width, kOthers + kLeast) - kOthers - kLeast;
  const std::size_t most = std::max(width / 3, std::min(beside, kReasons));
  const std::size_t reasons = std::min(most, widest_of(jobs, &HostView::JobRow::reason));
  const std::size_t room = std::max(width, kOthers + reasons + kLeast) - kOthers - reasons;
  const std::size_t half = room / 2, left = room - std::min(room, name);
  const std::size_t ids = std::min(id, std::max(half, left));
  return {ids, std::min(name, room - ids)};
}

std::string job_line(const HostView::JobRow& job, const NameColumns& columns) {
  const auto cell = [](const std::string& text, std::size_t size) {
    return padded(shortened(harmless(text), size), size);
  };
  return "  " + cell(job.id, columns.id) + "  " + cell(job.name, columns.name) + "  " +
         padded(count_text(static_cast<std::uint64_t>(job.cost), "point"), 10) + "  " +
         padded(duration_text(job.seconds), 12) + harmless(job.reason);
}

}  // namespace

std::vector<std::string> job_lines(const std::vector<HostView::JobRow>& jobs, std::size_t all,
                                   std::size_t most, std::size_t width) {
  std::vector<std::string> lines;
  const std::span shown(jobs.data(), most == 0 ? jobs.size() : std::min(most, jobs.size()));
  const NameColumns columns = name_columns(shown, width);
  for (const HostView::JobRow& job : shown) lines.push_back(job_line(job, columns));
  if (shown.size() < std::max(all, jobs.size())) {
    lines.push_back("  and " + std::to_string(std::max(all, jobs.size()) - shown.size()) + " more");
  }
  return lines;
}

namespace {

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  for (std::string& line : more) lines.push_back(std::move(line));
}

/// How many jobs of each kind to list; 0: all.
struct Listed {
  std::size_t running = 0;
  std::size_t pending = 0;
};

std::size_t running_in(const HostView& view) {
  return std::max(view.all_running, view.running.size());
}

std::size_t pending_in(const HostView& view) {
  return std::max(view.all_pending, view.pending.size());
}

void append_jobs(std::vector<std::string>& lines, const HostView& view, Listed most,
                 std::size_t width) {
  lines.push_back("running  " + std::to_string(running_in(view)));
  append(lines, job_lines(view.running, view.all_running, most.running, width));
  lines.push_back("pending  " + std::to_string(pending_in(view)));
  append(lines, job_lines(view.pending, view.all_pending, most.pending, width));
}

/// Half of the lines for each kind, and what one does not need for the other. The line that counts
/// the rest is one of them.
Listed listed_in(std::size_t lines, const HostView& view) {
  const auto jobs_in = [](std::size_t part, std::size_t all) {
    return all <= part ? all : std::max<std::size_t>(part, 2) - 1;
  };
  const std::size_t unneeded = lines - std::min(lines, pending_in(view));
  const std::size_t running = std::min(running_in(view), std::max(lines / 2, unneeded));
  return {jobs_in(running, running_in(view)), jobs_in(lines - running, pending_in(view))};
}

std::vector<std::string> fitted(std::vector<std::string> lines, const Style& style) {
  for (std::string& line : lines) {
    line = cut(line, style.width);
    while (!line.empty() && line.back() == ' ') line.pop_back();
  }
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(const HostView& view, const Style& style, std::size_t most_jobs) {
  HostLines parts = parts_of(view, style);
  std::vector<std::string> lines = std::move(parts.state);
  append(lines, std::move(parts.window));
  append_jobs(lines, view, {most_jobs, most_jobs}, style.width);
  lines.emplace_back("sensors");
  append(lines, std::move(parts.sensors));
  append(lines, std::move(parts.rest));
  return fitted(std::move(lines), style);
}

std::vector<std::string> brief_lines_of(const HostView& view, const Style& style,
                                        std::size_t most_lines) {
  HostLines parts = parts_of(view, style);
  std::vector<std::string> lines = std::move(parts.state);
  append(lines, std::move(parts.window));
  std::vector<std::string> below = std::move(parts.sensors_in_brief);
  append(below, std::move(parts.rest));
  const std::size_t others = lines.size() + below.size() + 2;
  const std::size_t left = most_lines - std::min(most_lines, others);
  append_jobs(lines, view, most_lines == 0 ? Listed{} : listed_in(left, view), style.width);
  append(lines, std::move(below));
  return fitted(std::move(lines), style);
}

}  // namespace sluice::cli
