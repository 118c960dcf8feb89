#include "governor/books/dependencies.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Dependencies, AForgottenJobsNumberIsFreeForAnotherJob) {
  Dependencies dependencies;
  const auto alive = [](JobId) { return true; };
  PendingJob job;
  job.id = JobId{5};
  const JobId first[] = {JobId{3}}, second[] = {JobId{4}};
  ASSERT_FALSE(dependencies.await(job, first, {}, alive));
  dependencies.forget(job.id);  // A try_admit that was refused, say.
  ASSERT_FALSE(dependencies.await(job, second, {}, alive));
  EXPECT_TRUE(dependencies.resolve(JobId{3}, JobEnd::failed).empty());
  EXPECT_EQ(dependencies.holder_of(job.id), JobId{4});
}

}  // namespace
}  // namespace sluice
