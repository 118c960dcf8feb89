#include "governor/threads/lock_free_refusal.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace sluice {
namespace {

TEST(LockFreeRefusal, ChargesACostThatComesFromCoresForAllCpusAtMost) {
  GovernorOptions options = fakes::window_of(30, 200);
  options.window.law = Law::knee;
  LockFreeRefusal refusals;
  refusals.configure(options, [](const JobRequest&) {
    Prediction learned{Points{40}};
    learned.least_cost = Points{1};
    return learned;
  });
  Refusal refusal;
  refusals.publish(Points{5}, Points{30}, Points{20}, std::nullopt, std::nullopt);
  EXPECT_FALSE(refusals.try_refuse(JobRequest{}, refusal)) << "5 + 20 fit in 30";
  refusals.publish(Points{15}, Points{30}, Points{20}, std::nullopt, std::nullopt);
  ASSERT_TRUE(refusals.try_refuse(JobRequest{}, refusal));
  EXPECT_EQ(refusal.cost, Points{20});
  refusals.publish(Points{5}, Points{30}, std::nullopt, std::nullopt, std::nullopt);
  ASSERT_TRUE(refusals.try_refuse(JobRequest{}, refusal)) << "the CPUs are not counted";
  EXPECT_EQ(refusal.cost, Points{40});
}

}  // namespace
}  // namespace sluice
