#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocations.h"
#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::costing;
using testing::allocations;

/// The number of allocations that `work` makes on this thread.
template <typename Work>
std::uint64_t allocated_by(Work work) {
  const std::uint64_t before = allocations();
  work();
  return allocations() - before;
}

std::vector<JobRequest> jobs_with_long_keys() {
  std::vector<JobRequest> jobs;
  for (int i = 0; i < 8; ++i) {
    jobs.push_back(costing(1 + i));
    jobs.back().key = "a key that is too long for any small string buffer " + std::to_string(i);
  }
  return jobs;
}

TEST(GovernorAllocation, CounterSeesAllocations) {
  EXPECT_EQ(allocated_by([] { const std::vector<int> some(100); }), 1u);
  EXPECT_EQ(allocated_by([] {}), 0u);
}

TEST(GovernorAllocation, AdmissionAndReleaseDoNotAllocateInSteadyState) {
  Governor governor(fakes::fixed_window(100), {}, fakes::flat(5));
  const std::vector<JobRequest> jobs = jobs_with_long_keys();
  std::vector<Permit> permits(jobs.size());
  const auto round = [&] {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      permits[i] = std::get<Permit>(governor.try_admit(jobs[i]));
    }
    for (Permit& permit : permits) permit.release();
  };
  round();
  EXPECT_EQ(allocated_by([&] {
              for (int i = 0; i < 100; ++i) round();
            }),
            0u);
}

TEST(GovernorAllocation, RefusalsDoNotAllocate) {
  fakes::Dial dial;
  Governor governor(fakes::fixed_window(10), {dial.sensor("a_sensor_with_quite_a_long_name")},
                    fakes::flat(5));
  const JobRequest job = costing(5);
  const auto refusals_allocate = [&](RefusalCode expected) {
    return allocated_by([&] {
      for (int i = 0; i < 100; ++i) {
        const Admission admission = governor.try_admit(job);
        if (fakes::code_of(admission) != expected) throw std::runtime_error("refused otherwise");
      }
    });
  };
  const Permit all = fakes::permit_of(governor.try_admit(costing(10)));
  EXPECT_EQ(refusals_allocate(RefusalCode::window), 0u);
  auto waiting = governor.submit(costing(5));
  EXPECT_EQ(refusals_allocate(RefusalCode::behind), 0u);
  dial.show(2);
  ASSERT_TRUE(dial.wait_reads(2));
  EXPECT_EQ(refusals_allocate(RefusalCode::sensor), 0u);
  governor.pause();
  EXPECT_EQ(refusals_allocate(RefusalCode::paused), 0u);
  governor.drain();
  EXPECT_EQ(refusals_allocate(RefusalCode::draining), 0u);
}

TEST(GovernorAllocation, CopyingARefusalDoesNotAllocate) {
  Refusal refusal;
  refusal.binding = "a binding that is too long for any small string buffer";
  EXPECT_EQ(allocated_by([&] {
              const Refusal copy = refusal;
              EXPECT_EQ(copy.binding, refusal.binding);
            }),
            0u);
}

}  // namespace
}  // namespace sluice
