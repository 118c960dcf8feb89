#include "cli/autoscale/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/seconds.h"
#include "cli/terminal/gnuplot.h"

namespace sluice::cli {
namespace {

struct Picture {
  const char* name;
  const char* title;
  const char* axis;
  int column;
  bool whole;  ///< It counts things: drawn as steps between observations.
  const char* line;
  const char* fill;
};

constexpr std::array<Picture, 6> kPictures{{
    {"queued", "Jobs that wait", "jobs", 4, true, "#c05a00", "#fdd9b0"},
    {"running", "Jobs that run", "jobs", 3, true, "#08519c", "#c6dbef"},
    {"num_hosts", "Executors", "executors", 2, true, "#1b7837", "#ccebc5"},
    {"avg_duration", "Mean time that ended jobs ran", "seconds", 6, false, "#6a3d9a", "#e4d8ee"},
    {"avg_wait", "Mean time that jobs waited", "seconds", 7, false, "#b03a2e", "#f5cdc8"},
    {"avg_load", "Mean load of the hosts", "load over a minute", 8, false, "#5d6d7e", "#dde2e6"},
}};

double seconds_since_epoch(const StatsRow& row) { return to_seconds(row.time.time_since_epoch()); }

std::string value(const std::optional<double>& number) {
  return number ? fmt::format("{:.3f}", *number) : "NaN";
}

/// The rows with Unix times; counts hold until the next observation.
std::string data_of(const std::vector<StatsRow>& rows) {
  std::string text;
  for (const StatsRow& row : rows) {
    text += fmt::format("{:.3f} {} {} {} {} {} {} {}\n", seconds_since_epoch(row), row.hosts,
                        row.running_jobs, row.queued_jobs, row.slots, value(row.avg_duration),
                        value(row.avg_wait), value(row.avg_load));
  }
  return text;
}

/// The label format of the time axis, chosen by its span.
const char* time_format(double span) {
  if (span <= 600) return "%H:%M:%S";
  if (span <= 86400) return "%H:%M";
  return "%d %b\\n%H:%M";
}

/// The value in a column of the data, of which the first is the time.
std::optional<double> value_in(const StatsRow& row, int column) {
  const std::array<std::optional<double>, 7> after_time{row.hosts,
                                                        static_cast<double>(row.running_jobs),
                                                        static_cast<double>(row.queued_jobs),
                                                        static_cast<double>(row.slots),
                                                        row.avg_duration,
                                                        row.avg_wait,
                                                        row.avg_load};
  return after_time.at(static_cast<std::size_t>(column) - 2);
}

/// Slightly above the highest value, so that the curve stays clear of the frame.
double top_of(const std::vector<StatsRow>& rows, const Picture& picture) {
  double most = 0;
  for (const StatsRow& row : rows) most = std::max(most, value_in(row, picture.column).value_or(0));
  if (most <= 0) return 1;
  return picture.whole ? most + std::max(0.5, most * 0.08) : std::max(0.1, most * 1.1);
}

std::string picture_script(const Picture& picture, const std::vector<StatsRow>& rows,
                           const std::string& path) {
  const double top = top_of(rows, picture);
  const std::string column = std::to_string(picture.column);
  std::string script = "set output " + gnuplot_quoted(path) + "\n";
  script +=
      fmt::format("set title '{}' font ',15' textcolor '#222222' offset 0,0.3\n", picture.title);
  script += fmt::format("set ylabel '{}'\nset yrange [0:{}]\n", picture.axis, top);
  // Fractions of jobs make no sense.
  script += picture.whole && top <= 10 ? "set ytics 1\n" : "set ytics autofreq\n";
  const bool empty = std::none_of(rows.begin(), rows.end(), [&](const StatsRow& row) {
    return value_in(row, picture.column).has_value();
  });
  script += empty ? "set label 1 'not known in this time' at graph 0.5,0.5 center "
                    "textcolor '#777777'\n"
                  : "unset label 1\n";
  const char* fill_style = picture.whole ? "fillsteps" : "filledcurves y1=0";
  const char* line_style = picture.whole ? "steps" : "lines";
  return script +
         fmt::format(
             "plot $rows using 1:{0} with {1} fillcolor '{2}' fillstyle solid 1 noborder notitle, "
             "\\\n     $rows using 1:{0} with {3} linecolor '{4}' linewidth 2.2 notitle\n",
             column, fill_style, picture.fill, line_style, picture.line);
}

}  // namespace

std::string stats_plot(const std::vector<StatsRow>& rows, const std::string& folder,
                       const std::string& ending) {
  const double first = seconds_since_epoch(rows.front());
  const double last = std::max(seconds_since_epoch(rows.back()), first + 1);
  std::string script = gnuplot_terminal("." + ending, "1000,420", 11);
  script += "$rows << END_OF_ROWS\n" + data_of(rows) + "END_OF_ROWS\n";
  script +=
      "set border 3 linecolor '#555555'\n"
      "set tics nomirror out textcolor '#333333'\n"
      "set grid ytics xtics linecolor '#e3e3e3' linewidth 1 linetype 1\n"
      "set lmargin 10\nset rmargin 3\nset xdata time\nset timefmt '%s'\nset xlabel 'UTC'\n";
  script += fmt::format("set format x '{}'\nset xrange ['{:.3f}':'{:.3f}']\n",
                        time_format(last - first), first, last);
  for (const Picture& picture : kPictures) {
    script += picture_script(picture, rows, folder + "/" + picture.name + "." + ending);
  }
  return script;
}

void thin_out(std::vector<StatsRow>& rows, std::size_t most) {
  while (rows.size() > most) {
    std::vector<StatsRow> fewer;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool old = i < rows.size() / 2;
      if (!old || i % 2 == 0) fewer.push_back(rows[i]);
    }
    rows = std::move(fewer);
  }
}

}  // namespace sluice::cli
