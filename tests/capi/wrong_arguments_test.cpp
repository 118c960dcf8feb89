// What ctypes and casts let through: NULL, handles of another kind, structs without a size.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capi/handles.h"
#include "quiet_governor.h"

namespace sluice::capi {
namespace {

void ignore(void*, std::uint64_t, sluice_permit*, const sluice_error*) {}

struct Call {
  std::string names;  ///< The argument that the error names.
  std::function<sluice_code(sluice_error*)> run;
};

class WrongArguments : public ::testing::Test {
 protected:
  void expect_invalid(const std::vector<Call>& calls, const std::string& problem) {
    for (const Call& call : calls) {
      sluice_error error = SLUICE_ERROR_INIT;
      EXPECT_EQ(call.run(&error), SLUICE_INVALID) << call.names;
      EXPECT_EQ(error.text, call.names + problem);
      EXPECT_EQ(call.run(nullptr), SLUICE_INVALID) << call.names << ", without an error";
    }
  }

  QuietGovernor governor;
  Job job{10};
  sluice_permit* permit = nullptr;
  char* text = nullptr;
};

TEST_F(WrongArguments, NullIsNamed) {
  sluice_permit held;
  expect_invalid(
      {
          {"governor", [](auto* e) { return sluice_govern(nullptr, nullptr, e); }},
          {"governor", [](auto* e) { return sluice_pause(nullptr, e); }},
          {"governor", [](auto* e) { return sluice_resume(nullptr, e); }},
          {"governor", [](auto* e) { return sluice_drain(nullptr, e); }},
          {"governor", [](auto* e) { return sluice_wait_until_idle(nullptr, e); }},
          {"governor", [](auto* e) { return sluice_cancel(nullptr, 1, e); }},
          {"governor", [&](auto* e) { return sluice_status_json(nullptr, &text, e); }},
          {"governor", [&](auto* e) { return sluice_explain(nullptr, 1, &text, e); }},
          {"governor", [&](auto* e) { return sluice_try_admit(nullptr, job.handle, &permit, e); }},
          {"job", [&](auto* e) { return sluice_try_admit(governor.handle, nullptr, &permit, e); }},
          {"permit",
           [&](auto* e) { return sluice_try_admit(governor.handle, job.handle, nullptr, e); }},
          {"job",
           [&](auto* e) {
             return sluice_submit(governor.handle, nullptr, ignore, nullptr, nullptr, e);
           }},
          {"job", [](auto* e) { return sluice_job_create(nullptr, nullptr, e); }},
          {"json", [&](auto* e) { return sluice_status_json(governor.handle, nullptr, e); }},
          {"text", [&](auto* e) { return sluice_explain(governor.handle, 1, nullptr, e); }},
          {"permit", [](auto* e) { return sluice_permit_started(nullptr, e); }},
          {"permit", [&](auto* e) { return sluice_permit_items(nullptr, &text, e); }},
          {"permit", [](auto* e) { return sluice_permit_measured(nullptr, nullptr, e); }},
          {"usage", [&](auto* e) { return sluice_permit_measured(&held, nullptr, e); }},
      },
      ": is NULL");
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_submit(governor.handle, job.handle, nullptr, nullptr, nullptr, &error),
            SLUICE_INVALID);
  EXPECT_STREQ(error.text, "on_admission: is NULL");
}

TEST_F(WrongArguments, NullIsNothingToFree) {
  EXPECT_EQ(sluice_governor_destroy(nullptr, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_job_destroy(nullptr, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_permit_release(nullptr, SLUICE_OUTCOME_OK, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_permit_id(nullptr), 0u);
  EXPECT_EQ(sluice_permit_cost(nullptr), 0);
  sluice_free(nullptr);
}

TEST_F(WrongArguments, AHandleOfAnotherKindIsNamed) {
  auto* as_governor = reinterpret_cast<sluice_governor*>(job.handle);
  auto* as_job = reinterpret_cast<sluice_job*>(governor.handle);
  auto* as_permit = reinterpret_cast<sluice_permit*>(job.handle);
  expect_invalid(
      {
          {"governor", [&](auto* e) { return sluice_pause(as_governor, e); }},
          {"governor", [&](auto* e) { return sluice_governor_destroy(as_governor, e); }},
          {"governor",
           [&](auto* e) { return sluice_try_admit(as_governor, job.handle, &permit, e); }},
          {"job", [&](auto* e) { return sluice_try_admit(governor.handle, as_job, &permit, e); }},
          {"job", [&](auto* e) { return sluice_job_destroy(as_job, e); }},
          {"permit", [&](auto* e) { return sluice_permit_release(as_permit, 0, e); }},
          {"permit", [&](auto* e) { return sluice_permit_started(as_permit, e); }},
      },
      ": is a handle of another kind, or none");
  EXPECT_EQ(sluice_permit_id(as_permit), 0u);
  EXPECT_EQ(sluice_permit_cost(as_permit), 0);
}

TEST_F(WrongArguments, AnUnknownOutcomeLeavesThePermit) {
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, nullptr), SLUICE_OK);
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_permit_release(permit, 5, &error), SLUICE_INVALID);
  EXPECT_STREQ(error.text, "outcome: 5 is no sluice_outcome");
  EXPECT_EQ(sluice_permit_cost(permit), 10);
  EXPECT_EQ(sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr), SLUICE_OK);
}

TEST_F(WrongArguments, AnErrorWithoutASizeIsNotWritten) {
  sluice_error error{0, 77, "", "untouched"};
  EXPECT_EQ(sluice_pause(nullptr, &error), SLUICE_INVALID);
  EXPECT_EQ(error.code, 77);
  EXPECT_STREQ(error.text, "untouched");
}

}  // namespace
}  // namespace sluice::capi
