#include "service/daemon/log.h"

#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {
namespace {

void log_sensor(const Log& log, const SensorStatus& sensor) {
  const std::string name = "sensor " + sensor.name;
  if (!sensor.up) {
    log(LogLevel::warning, name + " failed: " + sensor.failure + "; counts as " +
                               (sensor.ignored ? "ignored"
                                : sensor.red   ? "red"
                                               : "green"));
    return;
  }
  const std::string sentence = sensor.reading ? ": " + sensor.reading->sentence : "";
  log(sensor.red ? LogLevel::warning : LogLevel::info,
      name + (sensor.red ? " is red" : " is green") + sentence);
}

struct LevelStyle {
  const char* name;
  const char* colour;
  const char* priority;  // In the journal's format; see sd-daemon(3).
};

/// By level.
constexpr std::array<LevelStyle, 3> kStyles{{{"info", "\x1b[32m", "<6>"},
                                             {"warning", "\x1b[33;1m", "<4>"},
                                             {"error", "\x1b[31;1m", "<3>"}}};

bool is_for_the_journal() {
  const bool unit = std::getenv("JOURNAL_STREAM") || std::getenv("INVOCATION_ID");
  return unit && !isatty(STDERR_FILENO);
}

bool is_coloured() {
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = !terminal || std::string_view(terminal) == "dumb";
  const char* const no_colour = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && !is_dumb && !(no_colour && *no_colour);
}

/// "2026-03-01T14:05:30.123", in local time.
std::string local_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char text[32];
  const std::size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
  std::snprintf(text + size, sizeof text - size, ".%03ld", now.tv_nsec / 1'000'000);
  return text;
}

}  // namespace

GovernorEvents log_events(const Log& log) {
  GovernorEvents events;
  events.on_window = [log](const WindowChange& change) {
    log(LogLevel::info, "window " + to_sentence(change));
  };
  events.on_sensor = [log](const SensorStatus& sensor) { log_sensor(log, sensor); };
  return events;
}

Log log_to_stderr(const std::string& origin) {
  const bool for_the_journal = is_for_the_journal();
  const bool coloured = is_coloured();
  return [for_the_journal, coloured, origin](LogLevel level, std::string_view line) {
    const LevelStyle& style = kStyles[static_cast<std::size_t>(level)];
    std::string text = (for_the_journal ? style.priority : "") + origin;
    if (!for_the_journal) {
      const std::string name = style.name;
      text += local_time() + " " + (coloured ? style.colour + name + "\x1b[0m" : name) + " ";
    }
    // Some text comes from others, which must not forge log lines or control the terminal.
    text += printable(line) + "\n";
    // One write, so that lines of two threads do not mix.
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
}

}  // namespace sluice
