#include "cli/status/watch_view.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/enum_names.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kLabel = 9;     // "pressure "
constexpr std::size_t kNumbers = 18;  // " 1234 (most 12345)"
constexpr std::size_t kMostCells = 120;
constexpr std::size_t kMostCuts = 4;
constexpr double kSilence = 5;  ///< Seconds without an answer before the screen says so.

constexpr std::array<const char*, 8> kHelp{
    "keys",
    "  Up Down, k j           scroll the jobs by one",
    "  PgUp PgDn, b space     by a screen",
    "  Home End, g G          back to everything, to the last job",
    "  s                      sort: in order of admission, longest first,",
    "                         largest cost first, by name",
    "  ? h                    this list, and back",
    "  q Ctrl-C               quit; Ctrl-Z suspends"};

/// Of a list of jobs: those that could be shown, and all.
struct JobCount {
  std::size_t rows = 0, all = 0;

  /// Those in so many lines, below a title and above a line that counts the rest.
  std::size_t shown_in(std::size_t lines) const {
    if (lines < 2) return 0;
    return all < lines ? rows : std::min(rows, lines - 2);
  }
};

/// A part of the screen that adapts to the available lines.
struct Block {
  std::size_t least = 0;   ///< Lines below which it is useless.
  std::size_t wanted = 0;  ///< Lines for its whole content.
  std::function<std::vector<std::string>(std::size_t lines)> draw;
  std::optional<JobCount> jobs = std::nullopt;
};

/// The first lines; the last of `most` counts those left out, of `what`.
std::vector<std::string> first_of(std::vector<std::string> lines, std::size_t most,
                                  const std::string& what) {
  if (lines.size() <= most) return lines;
  if (most == 0) return {};
  const std::size_t more = lines.size() - most + 1;
  lines.resize(most - 1);
  lines.push_back("  and " + std::to_string(more) + " more" + what);
  return lines;
}

/// Lines in order of importance; drops the last ones.
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
            // A title of which no line fits would stand alone.
            if (most > 1 && most < lines.size() && !lines[most - 2].starts_with(' ') &&
                lines[most - 1].starts_with(' ')) {
              --most;
            }
            return first_of(lines, most, " of queues, resources and sources");
          }};
}

double largest(const std::vector<std::optional<double>>& values) {
  double most = 0;
  for (const auto& value : values) most = std::max(most, value.value_or(0));
  return most;
}

/// A chart of the last minutes of one number, with its current value and its maximum.
struct Chart {
  const char* label;
  std::optional<double> WatchSample::*what;
  int decimals;
  double full;  ///< The top of the chart, unless a value is higher.
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
  const std::string number = now ? number_text(*now, chart.decimals) : "?";
  const bool is_over = chart.what == &WatchSample::pressure && now.value_or(0) >= 1;
  line += painted(style, is_over ? Colour::red : Colour::bold, number);
  return line + " (most " + number_text(most, chart.decimals) + ")";
}

Block charts(const Watched& watched, const Style& style) {
  const auto cells = watched.track.cells(&WatchSample::window, watched.now, kMostCells);
  const double points = largest(cells);
  const std::vector<Chart> all{{"usage", &WatchSample::usage, 0, points},
                               {"pressure", &WatchSample::pressure, 2, 1},
                               {"window", &WatchSample::window, 0, points},
                               {"pending", &WatchSample::pending, 0, 1}};
  return {2, all.size(), [=](std::size_t most) {
            std::vector<std::string> lines;
            for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
              lines.push_back(chart_line(all[i], watched, style));
            }
            return lines;
          }};
}

Block sensors(std::vector<std::string> lines) {
  const std::size_t wanted = lines.size();
  return {std::min<std::size_t>(wanted, 3), wanted, [lines = std::move(lines)](std::size_t most) {
            if (most == 1) return std::vector<std::string>{lines.front()};
            return first_of(lines, most, " sensors");
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

/// Wrapped, with the path, which its user has to type, whole.
std::vector<std::string> further_daemon(const std::string& about, std::size_t width) {
  const std::size_t room = width == 0 ? 0 : std::max(width, kLabel + 1) - kLabel;
  std::vector<std::string> lines;
  for (const std::string& line : wrapped(harmless(about), room)) {
    for (const std::string& piece : broken(line, room)) {
      lines.push_back(padded(lines.empty() ? "also" : "", kLabel) + piece);
    }
  }
  return lines;
}

Block further(const Watched& watched, std::size_t width) {
  constexpr std::size_t kFirst = 2;  // Daemons that need their lines more than others.
  std::vector<std::vector<std::string>> daemons;
  std::size_t least = 0, wanted = 0;
  for (const std::string& each : watched.further) {
    daemons.push_back(further_daemon(each, width));
    wanted += daemons.back().size();
    if (daemons.size() <= kFirst) least = wanted;
  }
  return {least, wanted, [daemons = std::move(daemons)](std::size_t most) {
            std::vector<std::string> lines;
            for (const auto& daemon : daemons) {
              if (lines.size() + daemon.size() > most) break;
              lines.insert(lines.end(), daemon.begin(), daemon.end());
            }
            return lines;
          }};
}

constexpr EnumNames<WatchChoice::Order::name> kOrders("in order of admission", "longest first",
                                                      "largest cost first", "by name");

/// Stable: equal jobs stay in order of admission.
void sort_by(WatchChoice::Order order, std::vector<HostView::JobRow>& rows) {
  if (order == WatchChoice::Order::place) return;
  std::ranges::stable_sort(rows, [order](const auto& a, const auto& b) {
    if (order == WatchChoice::Order::longest) return a.seconds > b.seconds;
    if (order == WatchChoice::Order::cost) return a.cost > b.cost;
    return std::pair(a.name, a.id) < std::pair(b.name, b.id);
  });
}

/// The jobs from the scroll position on; `passed`: how many come before it.
struct JobList {
  std::vector<HostView::JobRow> rows;
  std::size_t all = 0;
  std::size_t passed = 0;
};

JobList list_of(std::vector<HostView::JobRow> rows, std::size_t all, std::size_t passed,
                WatchChoice::Order order) {
  all = std::max(all, rows.size());
  sort_by(order, rows);
  passed = std::min(passed, rows.size());
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(passed));
  return {std::move(rows), all, passed};
}

Block jobs(const std::string& title, JobList list, std::size_t width) {
  const std::size_t count = list.all - list.passed;
  const JobCount counted{list.rows.size(), count};
  const std::size_t wanted = 1 + counted.rows + (count > counted.rows ? 1 : 0);
  return {std::min<std::size_t>(wanted, 3), wanted,
          [=, rows = std::move(list.rows), all = list.all, passed = list.passed](std::size_t most) {
            if (most == 0) return std::vector<std::string>();
            std::vector<std::string> lines{title + std::to_string(all)};
            if (passed > 0) lines.front() += ", " + std::to_string(passed) + " above";
            const std::size_t room = most - 1;
            if (room == 0) return lines;
            if (room == 1 && count > 1) return lines;  // The title, which has the count.
            const auto shown = job_lines(rows, count, count <= room ? 0 : room - 1, width);
            lines.insert(lines.end(), shown.begin(), shown.end());
            return lines;
          },
          counted};
}

/// Distributes `room` lines: first its `least` to each block in the order of `first`, then one line
/// in turn.
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

/// The problem between here and the daemon; nullopt if its last answer is current.
std::optional<std::string> trouble(const Watched& watched) {
  if (watched.lost) return harmless(*watched.lost);
  const double silence = watched.now - watched.asked.value_or(watched.now);
  if (silence < kSilence) return std::nullopt;
  return "no answer for " + duration_text(silence, Precision::seconds);
}

/// Fits the lines to the terminal's width, height and charset.
std::vector<std::string> fitted_to_screen(std::vector<std::string> lines, const Style& style) {
  for (std::string& line : lines) {
    line = cut(line, style.width);
    if (style.charset == Charset::ascii) line = ascii(line);
    while (!line.empty() && line.back() == ' ') line.pop_back();
  }
  if (style.height > 0) lines.resize(style.height);
  return lines;
}

/// A screen without its last line.
struct Layout {
  std::vector<std::string> top;
  std::vector<Block> blocks;
  std::vector<std::size_t> shares;  ///< Lines of each block.
};

Layout layout_of(const Watched& watched, const Style& style, const WatchChoice& choice) {
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
  const std::size_t running = std::max(view.all_running, view.running.size());
  const std::size_t passed = choice.first.value_or(0);
  const std::size_t beyond = passed > running ? passed - running : 0;
  std::vector<Block> blocks;
  std::vector<std::size_t> first;
  const auto list_jobs = [&] {
    blocks.push_back(
        jobs("running  ", list_of(view.running, running, passed, choice.order), style.width));
    blocks.push_back(jobs(
        "pending  ", list_of(view.pending, view.all_pending, beyond, choice.order), style.width));
  };
  if (choice.shows_help) {
    blocks.push_back(block_of({kHelp.begin(), kHelp.end()}));
    first = {0};
  } else if (choice.first) {
    // A user who scrolls looks for jobs: they get the space of everything else.
    list_jobs();
    first = {0, 1};
  } else {
    blocks.push_back(block_of(std::move(parts.window)));
    blocks.push_back(charts(watched, style));
    blocks.push_back(cuts(watched));
    list_jobs();
    blocks.push_back(sensors(std::move(parts.sensors_in_brief)));
    blocks.push_back(rest_of(std::move(parts.rest)));
    blocks.push_back(further(watched, style.width));
    first = {4, 5, 1, 3, 2, 0, 7, 6};
  }
  constexpr std::size_t kUnbounded = 1'000'000;
  const std::size_t foot = style.height > 0 ? 1 : 0;
  const std::size_t taken = lines.size() + foot;
  const std::size_t room = style.height == 0      ? kUnbounded
                           : style.height > taken ? style.height - taken
                                                  : 0;
  std::vector<std::size_t> shares = share(blocks, first, room);
  return {std::move(lines), std::move(blocks), std::move(shares)};
}

}  // namespace

std::size_t listed_jobs(const Watched& watched, const Style& style, WatchChoice choice) {
  choice.first = std::nullopt;
  const Layout layout = layout_of(watched, style, choice);
  std::size_t listed = 0;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const Block& block = layout.blocks[i];
    if (!block.jobs) continue;
    const std::size_t shown = block.jobs->shown_in(layout.shares[i]);
    listed += shown;
    if (shown < block.jobs->all) break;
  }
  return listed;
}

std::vector<std::string> frame_of(const Watched& watched, const Style& style,
                                  const WatchChoice& choice) {
  Layout layout = layout_of(watched, style, choice);
  std::vector<std::string> lines = std::move(layout.top);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    for (std::string& line : layout.blocks[i].draw(layout.shares[i]))
      lines.push_back(std::move(line));
  }
  if (style.height == 0) return fitted_to_screen(std::move(lines), style);
  lines.resize(style.height - 1);
  std::string hint = "q ends, ? lists the keys; curves: the last 10 min";
  if (choice.order != WatchChoice::Order::place) {
    hint += "; jobs " + std::string(kOrders.of(choice.order));
  }
  lines.push_back(painted(style, Colour::dim, hint));
  return fitted_to_screen(std::move(lines), style);
}

}  // namespace sluice::cli
