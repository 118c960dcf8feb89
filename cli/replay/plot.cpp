#include "cli/replay/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/seconds.h"
#include "cli/replay/records.h"
#include "cli/terminal/gnuplot.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// The unit of the time axis.
struct TimeUnit {
  double seconds;
  const char* name;
};

TimeUnit unit_for(Duration span) {
  if (span <= std::chrono::minutes(10)) return {1, "seconds"};
  if (span <= std::chrono::hours(5)) return {60, "minutes"};
  return {3600, "hours"};
}

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() > ending.size() && text.ends_with(ending);
}

constexpr std::array kPressureColours{"#c0392b", "#8e44ad", "#d68910", "#7b241c",
                                      "#b03a7a", "#5d6d7e", "#a04000", "#6c3483"};

constexpr const char* kWindowColour = "#08519c";
constexpr std::array kLaneColours{"#2e7d6b", "#5b7f2b", "#8c6d1f", "#94487a", "#6b6b6b", "#2a9db0"};
constexpr const char* kOthers = "others";

/// A round number slightly above, so that the highest curve stays clear of the frame.
std::string axis_top(double most) {
  const double top = most <= 0 ? 1 : most * 1.08;
  return top < 10 ? std::to_string(top) : std::to_string(static_cast<std::int64_t>(std::ceil(top)));
}

constexpr std::size_t kMostLanes = 6;
constexpr std::size_t kMostLaneColumns = 26;

/// A span of time.
struct Stretch {
  Duration from{0}, to{0};
};

/// When one limit held.
struct Lane {
  std::string limit;
  std::vector<Stretch> stretches;
  Duration total{0};

  void add(Stretch stretch) {
    total += stretch.to - stretch.from;
    const bool goes_on = !stretches.empty() && stretches.back().to == stretch.from;
    if (goes_on) {
      stretches.back().to = stretch.to;
    } else {
      stretches.push_back(stretch);
    }
  }
};

Lane& lane_of(std::vector<Lane>& lanes, const std::string& limit) {
  const auto found = std::ranges::find(lanes, limit, &Lane::limit);
  if (found != lanes.end()) return *found;
  return lanes.emplace_back(Lane{limit, {}, Duration{0}});
}

/// The lanes of these limits, the one that held longest first.
std::vector<Lane> lanes_of(const std::vector<ChartRow>& rows,
                           const std::function<std::string(const std::string&)>& name) {
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i].limit.empty()) continue;
    lane_of(lanes, name(rows[i].limit)).add({rows[i].t, rows[i + 1].t});
  }
  std::ranges::stable_sort(lanes, std::greater{}, &Lane::total);
  return lanes;
}

/// Limits beyond the first few share the last lane.
std::vector<Lane> lanes_of(const std::vector<ChartRow>& rows) {
  const std::vector<Lane> all = lanes_of(rows, [](const std::string& limit) { return limit; });
  if (all.size() <= kMostLanes) return all;
  const auto last = all.begin() + kMostLanes - 1;
  std::vector<Lane> lanes = lanes_of(rows, [&](const std::string& limit) {
    const bool is_shown = std::ranges::find(all.begin(), last, limit, &Lane::limit) != last;
    return is_shown ? limit : std::string(kOthers);
  });
  std::stable_partition(lanes.begin(), lanes.end(),
                        [](const Lane& lane) { return lane.limit != kOthers; });
  return lanes;
}

std::string pressure_colour(std::size_t sensor) {
  return kPressureColours[sensor % kPressureColours.size()];
}

/// A sensor's lane has the colour of its curve, and the window's that of the window.
std::string lane_colour(const std::string& limit, std::size_t lane,
                        const std::vector<std::string>& levels) {
  if (limit == "window") return kWindowColour;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (limit == "sensor " + levels[i]) return pressure_colour(i);
  }
  return limit == kOthers ? "#999999" : kLaneColours[lane % kLaneColours.size()];
}

std::string lane_data(const std::vector<Lane>& lanes) {
  std::string data;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    data += "$limit" + std::to_string(i) + " << END_OF_LIMIT\n";
    for (const Stretch& stretch : lanes[i].stretches) {
      data += exact_seconds(stretch.from) + ',' + exact_seconds(stretch.to) + '\n';
    }
    data += "END_OF_LIMIT\n";
  }
  return data;
}

struct Tops {
  double points = 0, jobs = 0, level = 1;
};

Tops tops_of(const std::vector<ChartRow>& rows) {
  Tops tops;
  for (const ChartRow& row : rows) {
    tops.points = std::max(
        {tops.points, static_cast<double>(row.size.value), static_cast<double>(row.usage.value)});
    tops.jobs = std::max(tops.jobs, static_cast<double>(row.pending));
    for (const double level : row.levels) tops.level = std::max(tops.level, level);
  }
  return tops;
}

/// The rows as corners of steps: separately filled pieces would show seams.
std::string corners_of(const std::vector<ChartRow>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) {
      ChartRow before = rows[i - 1];
      before.t = rows[i].t;
      append_csv(text, before);
    }
    append_csv(text, rows[i]);
  }
  return text;
}

std::string upper_panel(const std::string& x) {
  return "plot $rows using " + x +
         ":3 with filledcurves y1=0 fillcolor '#a6cee3' fillstyle solid 1 noborder title 'usage', "
         "\\\n     $rows using " +
         x + ":2 with lines linecolor '#08519c' linewidth 2.5 title 'window'\n";
}

std::string lower_panel(const std::string& x, const std::vector<std::string>& levels) {
  std::string plot =
      "plot $rows using " + x +
      ":5 with filledcurves y1=0 fillcolor '#fdd9b0' fillstyle solid 1 noborder title 'pending'";
  if (!levels.empty()) {
    plot +=
        ", \\\n     1 axes x1y2 with lines linecolor '#777777' linewidth 1.3 dashtype 2 title "
        "'limit'";
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    plot += ", \\\n     $rows using " + x + ":" + std::to_string(6 + i) +
            " axes x1y2 with lines linecolor '" + pressure_colour(i) + "' linewidth 2 title " +
            gnuplot_quoted(levels[i]);
  }
  return plot + "\n";
}

/// Where the panels are, as parts of the picture's height.
struct Panels {
  double top = 0.93, gap = 0.022, bottom = 0.09, strip = 0;

  explicit Panels(std::size_t lanes) : strip(0.03 * static_cast<double>(lanes)) {}
  double height() const { return (top - bottom - strip - gaps()) / 2; }
  double gaps() const { return strip > 0 ? 2 * gap : gap; }
  double upper() const { return top - height(); }
  double strip_top() const { return upper() - gap; }
  double lower_top() const { return bottom + height(); }
};

std::string between(double top, double bottom) {
  return "set tmargin at screen " + std::to_string(top) + "\nset bmargin at screen " +
         std::to_string(bottom) + "\n";
}

/// The lanes, the first at the top, each with its name at the right.
std::string strip_panel(const std::vector<Lane>& lanes, const std::vector<std::string>& levels,
                        const TimeUnit& unit) {
  const std::string by = "/" + std::to_string(unit.seconds);
  std::string names, boxes;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::string place = std::to_string(lanes.size() - i);
    const std::string name = cut(lanes[i].limit, kMostLaneColumns);
    names += (i > 0 ? ", " : "") + gnuplot_quoted(name) + " " + place;
    boxes += (i > 0 ? ", \\\n     $limit" : "plot $limit") + std::to_string(i) +
             " using (($1+$2)/2" + by + "):(" + place + "):($1" + by + "):($2" + by + "):(" +
             place + "-0.36):(" + place + "+0.36) with boxxyerror fillcolor '" +
             lane_colour(lanes[i].limit, i, levels) + "' fillstyle solid 1 noborder notitle";
  }
  return "set border 1\nunset ytics\nunset ylabel\nset yrange [0.4:" +
         std::to_string(lanes.size()) + ".6]\nset y2range [0.4:" + std::to_string(lanes.size()) +
         ".6]\nset grid y2tics\nset y2tics scale 0 (" + names +
         ")\nset label 1 'limited by' at graph -0.012, graph 0.5 right textcolor '#222222'\n" +
         boxes +
         "\nunset label 1\nunset y2tics\nset grid noy2tics\nset ytics autofreq nomirror\nset "
         "border 3\n";
}

std::string settings(const std::string& title, double end) {
  return "set border 3 linecolor '#555555'\n"
         "set tics nomirror out textcolor '#333333'\n"
         "set grid ytics xtics linecolor '#e3e3e3' linewidth 1 linetype 1\n"
         "set key at graph 1.11, graph 1 left top Left reverse samplen 2 spacing 1.35 textcolor "
         "'#222222'\n"
         "set lmargin at screen 0.09\nset rmargin at screen 0.79\n"
         "set xrange [0:" +
         std::to_string(end) + "]\nset multiplot title " + gnuplot_quoted(title) + " font ',15'\n";
}

std::string upper_settings(const Tops& tops) {
  return "set ylabel 'points'\nset yrange [0:" + axis_top(tops.points) + "]\nset format x ''\n";
}

std::string lower_settings(const Tops& tops, const TimeUnit& unit, std::size_t levels) {
  std::string text = std::string("set ylabel 'pending jobs'\nset format x '%g'\nset xlabel ") +
                     "'time (" + unit.name + ")'\nset yrange [0:" + axis_top(tops.jobs) + "]\n";
  // Fractions of jobs make no sense.
  if (tops.jobs <= 8) text += "set ytics 1\n";
  if (levels == 0) return text;
  return text +
         "set border 11\nset y2tics autofreq nomirror scale 1\nset y2label 'pressure (1: at the "
         "limit)'\nset "
         "y2range [0:" +
         axis_top(tops.level) + "]\n";
}

}  // namespace

std::string plot_script(const std::vector<ChartRow>& rows, const std::vector<std::string>& levels,
                        const std::string& title, const std::string& path) {
  const Duration span = rows.empty() ? Duration{0} : rows.back().t;
  const TimeUnit unit = unit_for(span);
  const double end = std::max(to_seconds(span), 1e-9) / unit.seconds;
  const Tops tops = tops_of(rows);
  const std::string x = "($1/" + std::to_string(unit.seconds) + ")";
  const std::vector<Lane> lanes = lanes_of(rows);
  const Panels panels(lanes.size());

  std::string script = gnuplot_terminal(path, "1200,800", 12) + "set output " +
                       gnuplot_quoted(path) +
                       "\nset datafile separator ','\n$rows << END_OF_ROWS\n" + corners_of(rows) +
                       "END_OF_ROWS\n" + lane_data(lanes) + settings(title, end);
  script += between(panels.top, panels.upper()) + upper_settings(tops) + upper_panel(x);
  if (!lanes.empty()) {
    script += between(panels.strip_top(), panels.strip_top() - panels.strip) +
              strip_panel(lanes, levels, unit);
  }
  script += between(panels.lower_top(), panels.bottom) + lower_settings(tops, unit, levels.size());
  return script + lower_panel(x, levels) + "unset multiplot\n";
}

std::optional<std::string> problem_of_picture(const std::string& path) {
  if (!ends_with(path, ".svg") && !ends_with(path, ".png")) {
    return path + ": the name of a picture must end in .svg or .png";
  }
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(path.begin(), path.end(), control)) {
    return "the name of a picture must not contain control characters";
  }
  return std::nullopt;
}

}  // namespace sluice::cli
