#include <gtest/gtest.h>

#include <functional>

#include "fleet.h"

namespace sluice::testing {
namespace {

TEST(AutoscalerOptions, EachProblemNamesItsField) {
  using Options = AutoscaleOptions;
  struct Wrong {
    std::function<void(Options&)> make;
    std::string field, message;
  };
  const std::vector<Wrong> cases{
      {[](Options& o) { o.max.reset(); }, "max", "is required"},
      {[](Options& o) { o.max = 0; }, "max", "from 1 to 100000"},
      {[](Options& o) { o.max = 100'001; }, "max", "from 1 to 100000"},
      {[](Options& o) { o.min = -1; }, "min", "from 0 to 100000"},
      {[](Options& o) { o.min = 6; }, "min", "above max"},
      {[](Options& o) { o.add = 0; }, "add", "from 1"},
      {[](Options& o) { o.interval = 0s; }, "interval", "10ms to 300s"},
      {[](Options& o) { o.interval = 301s; }, "interval", "10ms to 300s"},
      {[](Options& o) { o.wait = -1s; }, "wait", "from 0s"},
      {[](Options& o) { o.stabilise = -1s; }, "stabilise", "from 0s"},
      {[](Options& o) { o.stabilise = 25h; }, "stabilise", "to 1d"},
      {[](Options& o) { o.kill_after = -1s; }, "kill_after", "from 0s"},
      {[](Options& o) { o.kill_after = 60min; }, "kill_after", "below billing"},
      {[](Options& o) { o.billing = -1s; }, "billing", "from 0s"},
      {[](Options& o) { o.lookback = 1s; }, "lookback", "from 1min"},
      {[](Options& o) { o.slots_each = 0; }, "slots_each", "from 1"},
      {[](Options& o) { o.target = 0; }, "target", "above 0"},
      {[](Options& o) { o.target = 1.01; }, "target", "at most 1"},
      {[](Options& o) { o.smooth = -1s; }, "smooth", "from 0s"},
      {[](Options& o) { o.floor = Points{0}; }, "floor", "from 1"},
  };
  EXPECT_FALSE(check_autoscale(starcluster_options()));
  for (const Wrong& wrong : cases) {
    AutoscaleOptions options = starcluster_options();
    wrong.make(options);
    const auto problem = check_autoscale(options);
    ASSERT_TRUE(problem) << wrong.field << " " << wrong.message;
    EXPECT_EQ(problem->field, wrong.field);
    EXPECT_TRUE(problem->message.starts_with(wrong.field + " must") ||
                problem->message.starts_with(wrong.field + " is required"))
        << problem->message;
    EXPECT_NE(problem->message.find(wrong.message), std::string::npos) << problem->message;
  }
}

TEST(AutoscalerOptions, DefaultsGiveWay) {
  AutoscaleOptions options = starcluster_options();
  EXPECT_EQ(options.least(), 1);
  EXPECT_EQ(options.due_after(), 45min);
  options.billing = 20min;
  EXPECT_EQ(options.due_after(), 15min);
  EXPECT_FALSE(check_autoscale(options));
  options.billing = 0s;
  EXPECT_EQ(options.due_after(), 45min);
  options.kill_after = 2h;
  EXPECT_FALSE(check_autoscale(options)) << "there is no period to be within";
}

}  // namespace
}  // namespace sluice::testing
