#include "recognition/brief_programs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace sluice {
namespace {

using std::chrono::milliseconds;

const std::vector<std::string> kCc1{"/usr/lib/gcc/cc1", "-quiet", "a.c", "-o", "a.s"};
const std::vector<std::string> kCc1plus{"/usr/lib/gcc/cc1plus", "-quiet", "a.cc", "-o", "a.s"};

class Brief : public ::testing::Test {
 protected:
  void run(const std::vector<std::string>& command, Duration lasts) {
    programs.became(++last, command, listed, now);
    now += lasts;
    programs.gone(last, now);
  }
  void run_brief_ones(const std::vector<std::string>& command) {
    for (std::size_t i = 0; i < BriefPrograms::kRunsInARow; ++i) run(command, milliseconds(20));
  }
  ProgramKind next(const std::vector<std::string>& command) {
    return programs.became(++last, command, listed, now);
  }

  BriefPrograms programs{true};
  ListedPrograms listed;
  pid_t last = 100;
  TimePoint now{std::chrono::seconds(1000)};
};

TEST_F(Brief, AfterEightInARowTheNextIsBrief) {
  for (std::size_t i = 1; i < BriefPrograms::kRunsInARow; ++i) run(kCc1, milliseconds(49));
  EXPECT_FALSE(next(kCc1).is_brief);
  run(kCc1, milliseconds(49));
  EXPECT_TRUE(next(kCc1).is_brief);
  EXPECT_EQ(next(kCc1).what, ProgramClass::heavy);
}

TEST_F(Brief, AnotherProgramIsNot) {
  run_brief_ones(kCc1);
  EXPECT_FALSE(next(kCc1plus).is_brief);
}

TEST_F(Brief, OneThatLastsEndsIt) {
  run_brief_ones(kCc1);
  run(kCc1, milliseconds(50));
  EXPECT_FALSE(next(kCc1).is_brief);
}

TEST_F(Brief, OneThatLastsEndsItWhenItAsksForAPermit) {
  run_brief_ones(kCc1);
  next(kCc1);
  now += milliseconds(50);
  programs.asks(last, now);
  programs.held(last);
  EXPECT_FALSE(next(kCc1).is_brief);
}

TEST_F(Brief, OneThatStandsStillFromItsStartSaysNothing) {
  run_brief_ones(kCc1);
  next(kCc1);
  programs.asks(last, now);
  programs.held(last);
  now += std::chrono::seconds(10);
  programs.gone(last, now);
  EXPECT_TRUE(next(kCc1).is_brief);
}

TEST_F(Brief, OneThatIsKnownToNeedMuchMemoryIsNot) {
  run_brief_ones(kCc1);
  listed.learned.insert("cc1");
  EXPECT_FALSE(next(kCc1).is_brief);
}

TEST_F(Brief, WithoutExactTimesNoneIs) {
  BriefPrograms inexact(false);
  for (pid_t process = 1; process <= 9; ++process) {
    EXPECT_FALSE(inexact.became(process, kCc1, listed, now).is_brief);
    inexact.gone(process, now);
  }
}

TEST_F(Brief, ADriverIsTransparentAsBefore) {
  const std::vector<std::string> gcc{"gcc", "-c", "a.c"};
  run_brief_ones(gcc);
  EXPECT_EQ(next(gcc), ProgramKind{.what = ProgramClass::transparent});
}

}  // namespace
}  // namespace sluice
