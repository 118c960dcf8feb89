#include "process/job_deadline.h"

#include <gtest/gtest.h>

#include <chrono>

#include "runner_helpers.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Because = JobDeadline::Because;

/// A job that answers SIGTERM and goes on.
class JobDeadlineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Command command = shell("trap 'echo asked' TERM; echo began; while :; do sleep 0.01; done");
    command.output = lifeline_.writer();
    job_ = started(runner_, command);
    ASSERT_GT(job_, 0);
    ASSERT_EQ(lifeline_.line(), "began");
  }
  void TearDown() override {
    if (ended_) return;  // The runner names an end once: `end_of` would wait for the next in vain.
    runner_.end(job_);
    end_of(runner_, job_);
  }
  std::string end() {
    const auto ended = end_of(runner_, job_);
    ended_ = ended.has_value();
    return ended ? ended->sentence() : "it goes on";
  }

  Lifeline lifeline_;
  Runner runner_{Runner::Groups::off};
  pid_t job_ = -1;
  bool ended_ = false;
  TimePoint now_ = Clock::now();
};

TEST_F(JobDeadlineTest, AtItsTimeoutAJobIsAskedAndTwoSecondsLaterKilled) {
  JobDeadline deadline(milliseconds(1), now_);
  deadline.enforce(runner_, job_, now_);
  EXPECT_EQ(deadline.because(), Because::itself);
  now_ += milliseconds(1);
  deadline.enforce(runner_, job_, now_);
  EXPECT_EQ(deadline.because(), Because::timeout);
  EXPECT_EQ(lifeline_.line(), "asked");
  deadline.enforce(runner_, job_, now_ + milliseconds(1999));
  EXPECT_TRUE(runner_.reap().empty());
  deadline.enforce(runner_, job_, now_ + seconds(2));
  EXPECT_EQ(end(), "killed by signal 9 (Killed)");
}

TEST_F(JobDeadlineTest, OnlyTimeThatTheJobRanCounts) {
  JobDeadline deadline(hours(1), now_);
  deadline.enforce(runner_, job_, now_ + hours(1));
  EXPECT_EQ(deadline.because(), Because::itself);
}

TEST_F(JobDeadlineTest, WithoutATimeoutAJobEndsOnlyIfAsked) {
  JobDeadline deadline(std::nullopt, now_);
  deadline.enforce(runner_, job_, now_ + hours(1000));
  EXPECT_EQ(deadline.because(), Because::itself);
  deadline.ask(runner_, job_, Because::asked, now_);
  EXPECT_EQ(lifeline_.line(), "asked");
  deadline.enforce(runner_, job_, now_ + seconds(2));
  EXPECT_EQ(end(), "killed by signal 9 (Killed)");
}

TEST_F(JobDeadlineTest, TheFirstReasonStays) {
  JobDeadline deadline(std::nullopt, now_);
  deadline.note_reason(Because::brake);
  deadline.ask(runner_, job_, Because::asked, now_);
  EXPECT_EQ(deadline.because(), Because::brake);
}

TEST_F(JobDeadlineTest, AJobThatIsAskedTwiceGetsNoMoreTime) {
  JobDeadline deadline(std::nullopt, now_);
  deadline.ask(runner_, job_, Because::asked, now_);
  deadline.ask(runner_, job_, Because::asked, now_ + seconds(1));
  deadline.enforce(runner_, job_, now_ + seconds(2));
  EXPECT_EQ(end(), "killed by signal 9 (Killed)");
}

TEST_F(JobDeadlineTest, ASuspendedJobCannotAnswerAndIsKilledAtOnce) {
  JobDeadline deadline(std::nullopt, now_);
  runner_.suspend(job_);
  deadline.ask(runner_, job_, Because::asked, now_);
  EXPECT_EQ(end(), "killed by signal 9 (Killed)");
}

}  // namespace
}  // namespace sluice::testing
