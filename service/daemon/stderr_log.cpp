#include "service/daemon/stderr_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace sluice {
namespace {

struct LevelNames {
  spdlog::level::level_enum level;
  const char* priority;  // In the journal's format; see sd-daemon(3).
};

LevelNames names_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return {spdlog::level::err, "<3>"};
    case LogLevel::warning:
      return {spdlog::level::warn, "<4>"};
    default:
      return {spdlog::level::info, "<6>"};
  }
}

bool for_the_journal() {
  const bool unit = std::getenv("JOURNAL_STREAM") || std::getenv("INVOCATION_ID");
  return unit && !isatty(STDERR_FILENO);
}

}  // namespace

Log log_to_stderr() {
  const bool journal = for_the_journal();
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("sluice", std::move(sink));
  logger->set_pattern(journal ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  logger->flush_on(spdlog::level::info);
  return [logger, journal](LogLevel level, std::string_view line) {
    const LevelNames names = names_of(level);
    // Some text comes from others, which must not forge log lines or control the terminal.
    logger->log(names.level, "{}{}", journal ? names.priority : "", printable(line));
  };
}

}  // namespace sluice
