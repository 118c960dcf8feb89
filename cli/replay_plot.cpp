#include "cli/replay_plot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <sstream>

#include "cli/terminal.h"

extern char** environ;

namespace sluice::cli {
namespace {

/// What the time axis counts in.
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
  // Fonts of a picture in pixels are small beside those of a page.
  return ends_with(path, ".svg") ? "svg noenhanced background '#ffffff'" + look + "15'"
                                 : "pngcairo noenhanced" + look + "12'";
}

constexpr std::array kPressureColours{"#c0392b", "#8e44ad", "#d68910", "#7b241c",
                                      "#b03a7a", "#5d6d7e", "#a04000", "#6c3483"};

/// Round number a little above, so that the highest curve does not stick to the frame.
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

/// The rows as the corners of steps: filled piece by piece, seams would show between the pieces.
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

/// A file of our own that goes away.
class ScratchFile {
 public:
  ScratchFile() : descriptor_(mkstemp(name_.data())) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(name_.data());
  }
  const char* name() const { return name_.data(); }
  int descriptor() const { return descriptor_; }

  bool write_all(std::string_view text) const {
    while (descriptor_ >= 0 && !text.empty()) {
      const ssize_t wrote = write(descriptor_, text.data(), text.size());
      if (wrote < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return descriptor_ >= 0;
  }
  /// Its last few lines.
  std::string end() const {
    std::string text(2000, '\0');
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    const off_t start = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    const ssize_t got = pread(descriptor_, text.data(), text.size(), start);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
  }

 private:
  std::string name_ = "/tmp/sluice-plot-XXXXXX";
  int descriptor_;
};

/// What gnuplot complained of, in one line and without the place: that is in a file of our own, and
/// another one each time.
std::string complaint_in(const std::string& said) {
  const std::size_t place = said.rfind("\n\"");
  const std::size_t colon = place == said.npos ? place : said.find(": ", place);
  std::istringstream lines(colon == said.npos ? said : said.substr(colon + 2));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) text += (text.empty() ? "" : "; ") + line;
  }
  return text.empty() ? "it said nothing" : cut(harmless(text), 300);
}

/// 0, and the child's id; else why it was not started. What it complains of goes into `errors`.
int start(const std::string& program, const std::string& argument, int errors, pid_t& child) {
  std::string name = program, word = argument;
  std::array<char*, 3> arguments{name.data(), word.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int failure =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
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
  // Half a job is none.
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

std::optional<std::string> run_gnuplot(const std::string& script) {
  const ScratchFile file, errors;
  if (!file.write_all(script) || errors.descriptor() < 0) {
    return std::string("the plot's data cannot be written below /tmp: ") + std::strerror(errno);
  }
  pid_t child = 0;
  const int failure = start("gnuplot", file.name(), errors.descriptor(), child);
  if (failure == ENOENT) {
    return "gnuplot is not installed, and plots need it; on Debian and Ubuntu: apt-get install "
           "gnuplot-nox";
  }
  if (failure != 0) return std::string("gnuplot cannot be started: ") + std::strerror(failure);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return "gnuplot could not draw the picture: " + complaint_in(errors.end());
}

}  // namespace sluice::cli
