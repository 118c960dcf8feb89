#include "service/daemon/log.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(logged(change), "window grown 30 -> 60 points: 34 % busy, 41 jobs wait");
  change = {TimePoint{},       Points{60}, Points{24},
            WindowCause::knee, "",         CpuStatus{2, 0.99, 0.18, 2, 0}};
  EXPECT_EQ(logged(change), "window holds 24: 99 % busy, 0.18 tasks wait for each CPU");
}

}  // namespace
}  // namespace sluice
