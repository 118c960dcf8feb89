#include "service/daemon/log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <regex>
#include <string>
#include <string_view>

namespace sluice {
namespace {

std::string logged(const WindowChange& change) {
  std::string line;
  log_events([&line](LogLevel, std::string_view text) { line = text; }).on_window(change);
  return line;
}

TEST(Log, AChangeOfTheWindowIsSaidWithItsNumbers) {
  WindowChange change{TimePoint{}, Points{30}, Points{60}, WindowCause::growth, ""};
  EXPECT_EQ(logged(change), "window grown 30 -> 60 points");
  change.cpu = CpuStatus{2, 0.34, 0, 0.7, 0};
  change.pending = 41;
  EXPECT_EQ(logged(change), "window grown 30 -> 60 points: 34% busy, 41 jobs wait");
  change = {TimePoint{},       Points{60}, Points{24},
            WindowCause::knee, "",         CpuStatus{2, 0.99, 0.18, 2, 0}};
  EXPECT_EQ(logged(change), "window holds 24: 99% busy, 0.18 tasks wait for each CPU");
}

/// What the log writes to a standard error that is no terminal.
std::string written(LogLevel level, std::string_view line, const std::string& origin = "") {
  ::testing::internal::CaptureStderr();
  log_to_stderr(origin)(level, line);
  return ::testing::internal::GetCapturedStderr();
}

TEST(StderrLog, ALineHasItsTimeAndLevel) {
  unsetenv("JOURNAL_STREAM");
  unsetenv("INVOCATION_ID");
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}";
  const auto is_written_as = [&](LogLevel level, const std::string& expected) {
    return std::regex_match(written(level, "it grows"), std::regex(time + expected));
  };
  EXPECT_TRUE(is_written_as(LogLevel::info, " info it grows\n"));
  EXPECT_TRUE(is_written_as(LogLevel::warning, " warning it grows\n"));
  EXPECT_TRUE(is_written_as(LogLevel::error, " error it grows\n"));
}

TEST(StderrLog, TheJournalGetsPrioritiesAndKeepsTheTime) {
  setenv("JOURNAL_STREAM", "8:1", 1);
  EXPECT_EQ(written(LogLevel::info, "it grows"), "<6>it grows\n");
  EXPECT_EQ(written(LogLevel::warning, "it grows"), "<4>it grows\n");
  EXPECT_EQ(written(LogLevel::error, "it grows"), "<3>it grows\n");
  unsetenv("JOURNAL_STREAM");
}

TEST(StderrLog, ALineBeginsWithItsOriginAfterThePriority) {
  unsetenv("JOURNAL_STREAM");
  unsetenv("INVOCATION_ID");
  EXPECT_TRUE(std::regex_match(written(LogLevel::info, "it grows", "[7] "),
                               std::regex("\\[7\\] [-0-9]+T[:.0-9]+ info it grows\n")));
  setenv("JOURNAL_STREAM", "8:1", 1);
  EXPECT_EQ(written(LogLevel::info, "it grows", "[7] "), "<6>[7] it grows\n");
  unsetenv("JOURNAL_STREAM");
}

TEST(StderrLog, TextOfOthersForgesNoLine) {
  setenv("JOURNAL_STREAM", "8:1", 1);
  EXPECT_EQ(written(LogLevel::info, "a\n<3>b\x1b[2J"), "<6>a?<3>b?[2J\n");
  unsetenv("JOURNAL_STREAM");
}

}  // namespace
}  // namespace sluice
