#include "cli/replay/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

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

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() > ending.size() && text.ends_with(ending);
}

std::string terminal_for(const std::string& path) {
  const std::string look = " size 1200,800 font 'DejaVu Sans,";
  // Fonts in pixels look smaller in a picture than on a page.
  return ends_with(path, ".svg") ? "svg noenhanced background '#ffffff'" + look + "15'"
                                 : "pngcairo noenhanced" + look + "12'";
}

constexpr std::array kPressureColours{"#c0392b", "#8e44ad", "#d68910", "#7b241c",
                                      "#b03a7a", "#5d6d7e", "#a04000", "#6c3483"};

/// A round number slightly above, so that the highest curve stays clear of the frame.
std::string axis_top(double most) {
  const double top = most <= 0 ? 1 : most * 1.08;
  return top < 10 ? std::to_string(top) : std::to_string(static_cast<std::int64_t>(std::ceil(top)));
}

struct Tops {
  double points = 0, jobs = 0, pressure = 1;
};

Tops tops_of(const std::vector<ChartRow>& rows) {
  Tops tops;
  for (const ChartRow& row : rows) {
    tops.points = std::max(
        {tops.points, static_cast<double>(row.size.value), static_cast<double>(row.usage.value)});
    tops.jobs = std::max(tops.jobs, static_cast<double>(row.pending));
    for (const double pressure : row.pressures) tops.pressure = std::max(tops.pressure, pressure);
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

std::string lower_panel(const std::string& x, const std::vector<std::string>& sensors) {
  std::string plot =
      "plot $rows using " + x +
      ":5 with filledcurves y1=0 fillcolor '#fdd9b0' fillstyle solid 1 noborder title 'pending'";
  if (!sensors.empty()) {
    plot +=
        ", \\\n     1 axes x1y2 with lines linecolor '#777777' linewidth 1.3 dashtype 2 title "
        "'limit'";
  }
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    plot += ", \\\n     $rows using " + x + ":" + std::to_string(6 + i) +
            " axes x1y2 with lines linecolor '" + kPressureColours[i % kPressureColours.size()] +
            "' linewidth 2 title " + quoted(sensors[i]);
  }
  return plot + "\n";
}

}  // namespace

std::string plot_script(const std::vector<ChartRow>& rows, const std::vector<std::string>& sensors,
                        const std::string& title, const std::string& path) {
  const Duration span = rows.empty() ? Duration{0} : rows.back().t;
  const TimeUnit unit = unit_for(span);
  const double end = std::max(std::chrono::duration<double>(span).count(), 1e-9) / unit.seconds;
  const Tops tops = tops_of(rows);
  const std::string x = "($1/" + std::to_string(unit.seconds) + ")";

  std::string script = "set terminal " + terminal_for(path) + "\nset output " + quoted(path) +
                       "\nset datafile separator ','\n$rows << END_OF_ROWS\n";
  script += corners_of(rows);
  script +=
      "END_OF_ROWS\n"
      "set border 3 linecolor '#555555'\n"
      "set tics nomirror out textcolor '#333333'\n"
      "set grid ytics xtics linecolor '#e3e3e3' linewidth 1 linetype 1\n"
      "set key at graph 1.11, graph 1 left top Left reverse samplen 2 spacing 1.35 textcolor "
      "'#222222'\n"
      "set lmargin at screen 0.09\nset rmargin at screen 0.79\n"
      "set xrange [0:" +
      std::to_string(end) +
      "]\n"
      "set multiplot layout 2,1 title " +
      quoted(title) + " font ',15'\n";
  script += "set ylabel 'points'\nset yrange [0:" + axis_top(tops.points) + "]\nset format x ''\n" +
            upper_panel(x);
  script += std::string("set ylabel 'pending jobs'\nset format x '%g'\nset xlabel ") + "'time (" +
            unit.name + ")'\nset yrange [0:" + axis_top(tops.jobs) + "]\n";
  // Fractions of jobs make no sense.
  if (tops.jobs <= 8) script += "set ytics 1\n";
  if (!sensors.empty()) {
    script +=
        "set border 11\nset y2tics\nset y2label 'pressure of the sensors (1: at the limit)'\nset "
        "y2range [0:" +
        axis_top(tops.pressure) + "]\n";
  }
  return script + lower_panel(x, sensors) + "unset multiplot\n";
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
