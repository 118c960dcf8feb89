// Programs that spell names as before 1.0 build and work.
#include <gtest/gtest.h>

#include "fakes.h"
#include "sluice/governor.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace sluice::testing {
namespace {

TEST(OldNames, StateOfAnEarlierGovernorIsRestored) {
  FormerJob job;
  job.id = JobId{7};
  job.request.key = "build";
  job.cost = Points{2};
  job.arrived = job.admitted.emplace(Clock::now());
  FormerLife life;
  life.jobs.push_back(job);
  life.last = JobId{8};
  Governor governor(fakes::fixed_window(10), {}, fakes::flat(2));
  const auto restored = governor.restore(life, [](JobId, Admission) {});
  ASSERT_EQ(restored.size(), 1u);
  EXPECT_EQ(std::get<Permit>(restored[0]).id(), JobId{7});
}

}  // namespace
}  // namespace sluice::testing

#pragma GCC diagnostic pop
