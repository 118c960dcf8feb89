// Every allocation of every call fails once: it is reported, nothing leaves the library, and
// nothing is held afterwards.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "allocations.h"
#include "quiet_governor.h"

namespace sluice::capi {
namespace {

using testing::fail_allocation;
using testing::has_failed;

class EachAllocation : public ::testing::Test {
 protected:
  boost::json::value status() {
    char* json = nullptr;
    EXPECT_EQ(sluice_status_json(governor.handle, &json, nullptr), SLUICE_OK);
    boost::json::value status = boost::json::parse(json);
    sluice_free(json);
    return status;
  }
  std::int64_t usage() { return status().at("window").at("usage").as_int64(); }

  /// Calls `run` until it needs no allocation that fails; it must succeed then. Says how often it
  /// failed.
  int failures_of(const std::function<sluice_code(sluice_error*)>& run) {
    for (int number = 1;; ++number) {
      sluice_error error = SLUICE_ERROR_INIT;
      fail_allocation(static_cast<std::uint64_t>(number));
      const sluice_code code = run(&error);
      const bool failed = has_failed();
      fail_allocation(0);
      EXPECT_EQ(code, failed ? SLUICE_SYSTEM : SLUICE_OK) << number << ": " << error.text;
      if (!failed) return number - 1;
      EXPECT_STREQ(error.text, "out of memory");
    }
  }

  QuietGovernor governor;
};

TEST_F(EachAllocation, OfAJobMayFail) {
  const std::string key(100, 'k');
  const char* const locks[] = {"node=exclusive:a,b shared:c"};
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.key = key.c_str();
  options.locks = locks;
  options.lock_count = 1;
  sluice_job* job = nullptr;
  EXPECT_GT(failures_of([&](auto* error) { return sluice_job_create(&options, &job, error); }), 3);
  sluice_job_destroy(job, nullptr);
}

TEST_F(EachAllocation, OfAnAdmissionMayFail) {
  const Job job(10);
  sluice_permit *first = nullptr, *permit = nullptr;
  // It has the memory that this thread kept, if any.
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &first, nullptr), SLUICE_OK);
  EXPECT_GT(failures_of([&](auto* error) {
              const sluice_code code =
                  sluice_try_admit(governor.handle, job.handle, &permit, error);
              EXPECT_EQ(permit != nullptr, code == SLUICE_OK);
              return code;
            }),
            0);
  EXPECT_EQ(usage(), 20);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
  sluice_permit_release(first, SLUICE_OUTCOME_OK, nullptr);
  EXPECT_EQ(usage(), 0);
}

TEST_F(EachAllocation, IsSparedFromTheSecondAdmissionOn) {
  const Job job(10);
  sluice_permit* permit = nullptr;
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, nullptr), SLUICE_OK);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
  const std::uint64_t before = testing::allocations();
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, nullptr), SLUICE_OK);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
  EXPECT_EQ(testing::allocations(), before);
}

TEST_F(EachAllocation, OfWhatIsToldMayFail) {
  const Job job(10);
  sluice_permit* permit = nullptr;
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, nullptr), SLUICE_OK);
  char* text = nullptr;
  const auto tell = [&](const std::function<sluice_code(sluice_error*)>& run) {
    EXPECT_GT(failures_of(run), 0);
    sluice_free(text);
  };
  tell([&](auto* error) { return sluice_status_json(governor.handle, &text, error); });
  tell([&](auto* error) {
    return sluice_explain(governor.handle, sluice_permit_id(permit), &text, error);
  });
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
}

TEST_F(EachAllocation, OfARefusalMayFail) {
  const Job job(30);
  sluice_permit *held = nullptr, *refused = nullptr;
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &held, nullptr), SLUICE_OK);
  EXPECT_GT(failures_of([&](auto* error) {
              const auto code = sluice_try_admit(governor.handle, job.handle, &refused, error);
              return code == SLUICE_REFUSED ? SLUICE_OK : code;
            }),
            0);
  sluice_permit_release(held, SLUICE_OUTCOME_OK, nullptr);
}

}  // namespace
}  // namespace sluice::capi
