#include "cli/watch_view.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string_view>

#include "cli/sparkline.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kLabel = 9;     // "pressure "
constexpr std::size_t kNumbers = 18;  // " 1234 (most 12345)"
constexpr std::size_t kMostCells = 120;
constexpr std::size_t kMostCuts = 4;
constexpr double kSilence = 5;  ///< Seconds without an answer, after which that is said.

/// A part of the screen that takes the room there is.
struct Block {
  std::size_t least = 0;   ///< Lines without which it says nothing.
  std::size_t wanted = 0;  ///< Lines for all of it.
  std::function<std::vector<std::string>(std::size_t lines)> draw;
};

/// The first of `lines`, the last one being how many there are besides, of `what`.
std::vector<std::string> first_of(std::vector<std::string> lines, std::size_t most,
                                  const std::string& what) {
  if (lines.size() <= most) return lines;
  if (most == 0) return {};
  const std::size_t more = lines.size() - most + 1;
  lines.resize(most - 1);
  lines.push_back("  and " + std::to_string(more) + " more" + what);
  return lines;
}

/// Lines of which the first tell most; the others are left out.
Block block_of(std::vector<std::string> lines) {
  const std::size_t wanted = lines.size();
  return {0, wanted, [lines = std::move(lines)](std::size_t most) {
            auto shown = lines;
            shown.resize(std::min(most, shown.size()));
            return shown;
          }};
}

Block rest_of(std::vector<std::string> lines) {
  const std::size_t wanted = lines.size();
  return {0, wanted, [lines = std::move(lines)](std::size_t most) {
            return first_of(lines, most, " of queues, resources and sources");
          }};
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

std::string ratio_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", number);
  return text;
}

double largest(const std::vector<std::optional<double>>& values) {
  double most = 0;
  for (const auto& value : values) most = std::max(most, value.value_or(0));
  return most;
}

/// The last minutes of one number, how large it is and was at most.
struct Chart {
  const char* label;
  std::optional<double> WatchSample::*what;
  std::string (*text)(double);
  double full;  ///< At the top, if nothing was more.
};

std::string chart_line(const Chart& chart, const Watched& watched, const Style& style) {
  const std::size_t width = style.width == 0 ? 80 : style.width;
  const std::size_t room = width > kLabel + kNumbers ? width - kLabel - kNumbers : 1;
  const auto values = watched.track.cells(chart.what, watched.now, std::min(room, kMostCells));
  const double most = largest(values);
  const WatchSample last =
      watched.track.samples.empty() ? WatchSample{} : watched.track.samples.back();
  const std::optional<double> now = last.*(chart.what);
  std::string line = padded(chart.label, kLabel) +
                     sparkline(values, std::max(most, chart.full), style.charset) + " ";
  const std::string number = now ? chart.text(*now) : "?";
  const bool is_over = chart.what == &WatchSample::pressure && now.value_or(0) >= 1;
  line += painted(style, is_over ? Colour::red : Colour::bold, number);
  return line + " (most " + chart.text(most) + ")";
}

Block charts(const Watched& watched, const Style& style) {
  const auto cells = watched.track.cells(&WatchSample::window, watched.now, kMostCells);
  const double points = largest(cells);
  const std::vector<Chart> all{{"usage", &WatchSample::usage, number_text, points},
                               {"pressure", &WatchSample::pressure, ratio_text, 1},
                               {"window", &WatchSample::window, number_text, points},
                               {"pending", &WatchSample::pending, number_text, 1}};
  return {2, all.size(), [=](std::size_t most) {
            std::vector<std::string> lines;
            for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
              lines.push_back(chart_line(all[i], watched, style));
            }
            return lines;
          }};
}

/// What is not well, then what is nearest to its limit.
bool is_more_urgent(const HostView::SensorRow& a, const HostView::SensorRow& b) {
  const bool a_well = a.verdict == "green", b_well = b.verdict == "green";
  if (a_well != b_well) return b_well;
  return a.pressure > b.pressure;
}

Block sensors(const HostView& view, std::vector<std::string> lines) {
  const std::size_t wanted = lines.size() + 1;
  return {std::min<std::size_t>(wanted, 3), wanted,
          [&view, lines = std::move(lines)](std::size_t most) {
            std::vector<std::string> shown{"sensors"};
            if (most < 2) return std::vector<std::string>();
            if (lines.size() < most) {
              shown.insert(shown.end(), lines.begin(), lines.end());
              return shown;
            }
            std::vector<std::size_t> order(lines.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
              return is_more_urgent(view.sensors[a], view.sensors[b]);
            });
            std::vector<std::string> sorted;
            for (const std::size_t each : order) sorted.push_back(lines[each]);
            for (std::string& line : first_of(std::move(sorted), most - 1, " sensors")) {
              shown.push_back(std::move(line));
            }
            return shown;
          }};
}

Block cuts(const Watched& watched) {
  const auto& all = watched.track.cuts;
  std::vector<std::string> lines;
  for (auto cut = all.rbegin(); cut != all.rend() && lines.size() < kMostCuts; ++cut) {
    lines.push_back("cut      " + duration_text(watched.now - cut->at) +
                    " ago: " + harmless(cut->text));
  }
  return block_of(std::move(lines));
}

Block jobs(const std::string& title, const std::vector<HostView::JobRow>& rows, std::size_t all) {
  const std::size_t count = std::max(all, rows.size());
  const std::size_t wanted = 1 + rows.size() + (count > rows.size() ? 1 : 0);
  return {std::min<std::size_t>(wanted, 3), wanted, [=, &rows](std::size_t most) {
            if (most == 0) return std::vector<std::string>();
            std::vector<std::string> lines{title + std::to_string(count)};
            const std::size_t room = most - 1;
            if (room == 0) return lines;
            if (room == 1 && count > 1) return lines;  // Which says how many there are.
            const auto shown = job_lines(rows, count, count <= room ? 0 : room - 1);
            lines.insert(lines.end(), shown.begin(), shown.end());
            return lines;
          }};
}

/// Who gets how many of `room` lines: first, in the order of `first`, what each needs to say
/// anything, then all alike.
std::vector<std::size_t> share(const std::vector<Block>& blocks,
                               const std::vector<std::size_t>& first, std::size_t room) {
  std::vector<std::size_t> shares(blocks.size(), 0);
  for (const std::size_t each : first) {
    shares[each] = std::min(blocks[each].least, room);
    room -= shares[each];
  }
  for (bool gave = true; gave && room > 0;) {
    gave = false;
    for (const std::size_t each : first) {
      if (room == 0 || shares[each] >= blocks[each].wanted) continue;
      ++shares[each];
      --room;
      gave = true;
    }
  }
  return shares;
}

std::string head_line(const Watched& watched, const Style& style) {
  const std::string name = "sluice   ", place = harmless(watched.place);
  if (style.width == 0) return name + place + "  " + watched.clock;
  const std::size_t taken = name.size() + watched.clock.size() + 2;
  const std::size_t room = style.width > taken ? style.width - taken : 1;
  return painted(style, Colour::bold, "sluice") + "   " + padded(cut(place, room), room) + "  " +
         watched.clock;
}

/// What is wrong between here and the daemon; none: what it said last is how it is.
std::optional<std::string> trouble(const Watched& watched) {
  if (watched.lost) return harmless(*watched.lost);
  const double silence = watched.now - watched.asked.value_or(watched.now);
  if (silence < kSilence) return std::nullopt;
  return "no answer for " + number_text(silence) + " s";
}

/// As wide and as high as the terminal, in characters that it has.
std::vector<std::string> fitted(std::vector<std::string> lines, const Style& style) {
  for (std::string& line : lines) {
    line = cut(line, style.width);
    if (style.charset == Charset::ascii) line = ascii(line);
    while (!line.empty() && line.back() == ' ') line.pop_back();
  }
  if (style.height > 0) lines.resize(style.height);
  return lines;
}

}  // namespace

std::vector<std::string> frame_of(const Watched& watched, const Style& style) {
  const HostView& view = watched.view;
  HostLines parts = parts_of(view, style);
  std::vector<std::string> lines{head_line(watched, style)};
  if (const auto told = trouble(watched)) {
    lines.push_back("state    " + painted(style, Colour::red, *told));
  } else {
    for (std::string& line : parts.state) lines.push_back(std::move(line));
  }
  lines.push_back(parts.window.front());
  parts.window.erase(parts.window.begin());
  std::vector<Block> blocks;
  blocks.push_back(block_of(std::move(parts.window)));
  blocks.push_back(charts(watched, style));
  blocks.push_back(cuts(watched));
  blocks.push_back(sensors(view, std::move(parts.sensors)));
  blocks.push_back(rest_of(std::move(parts.rest)));
  blocks.push_back(jobs("running  ", view.running, view.all_running));
  blocks.push_back(jobs("pending  ", view.pending, view.all_pending));
  constexpr std::size_t kUnbounded = 1'000'000;
  const std::size_t foot = style.height > 0 ? 1 : 0;
  const std::size_t taken = lines.size() + foot;
  const std::size_t room = style.height == 0      ? kUnbounded
                           : style.height > taken ? style.height - taken
                                                  : 0;
  const std::vector<std::size_t> shares = share(blocks, {6, 3, 1, 5, 2, 0, 4}, room);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::string& line : blocks[i].draw(shares[i])) lines.push_back(std::move(line));
  }
  if (foot == 0) return fitted(std::move(lines), style);
  lines.resize(style.height - foot);
  lines.push_back(painted(style, Colour::dim, "q ends; curves: the last 10 min"));
  return fitted(std::move(lines), style);
}

}  // namespace sluice::cli
