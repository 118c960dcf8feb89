#include "capi/job_request.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

namespace sluice::capi {
namespace {

std::string problem_of_options(const sluice_job_options& options) {
  try {
    job_request(options);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(CJob, WithoutFieldsIsTheDefaultJob) {
  const JobRequest job = job_request(SLUICE_JOB_OPTIONS_INIT);
  EXPECT_EQ(job.key, "");
  EXPECT_FALSE(job.priority || job.inventory || job.cost || job.memory || job.locks);
  EXPECT_FALSE(job.measured || job.suspendable || job.reports_started || job.global_lock);
  EXPECT_EQ(job.parent, JobId{});
  EXPECT_EQ(job.on_failure, OnFailure::cancel);
}

TEST(CJob, HasEveryFieldThatIsSet) {
  const std::array<std::uint64_t, 2> after{3, 4};
  const std::array<const char*, 1> resources{"db=2"}, locks{"node=exclusive:a shared:b"},
      params{"instance=i1"}, reasons{"rate-limit:2:deploy"};
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.key = "build";
  options.id = "build-7";
  options.program = "make";
  options.variant = "debug";
  options.queue = "nightly";
  options.cost = 15;
  options.memory = 1 << 20;
  options.priority = -3;
  options.has_priority = 1;
  options.inventory = 0;
  options.has_inventory = 1;
  options.measured = options.suspendable = options.reports_started = options.global_lock = 1;
  options.on_failure = SLUICE_ON_FAILURE_HOLD;
  options.parent = 9;
  options.after = after.data();
  options.after_count = after.size();
  options.resources = resources.data();
  options.locks = locks.data();
  options.params = params.data();
  options.reasons = reasons.data();
  options.resource_count = options.lock_count = options.param_count = options.reason_count = 1;
  const JobRequest job = job_request(options);
  EXPECT_EQ(job.key, "build");
  EXPECT_EQ(job.id, "build-7");
  EXPECT_EQ(job.program, "make");
  EXPECT_EQ(job.variant, "debug");
  EXPECT_EQ(job.queue, "nightly");
  EXPECT_EQ(job.cost, Points{15});
  EXPECT_EQ(job.memory, Bytes{1 << 20});
  EXPECT_EQ(job.priority, -3);
  EXPECT_EQ(job.inventory, 0);
  EXPECT_TRUE(job.measured && job.suspendable && job.reports_started && job.global_lock);
  EXPECT_EQ(job.on_failure, OnFailure::hold);
  EXPECT_EQ(job.parent, JobId{9});
  EXPECT_EQ(job.after, (std::vector{JobId{3}, JobId{4}}));
  EXPECT_EQ(job.resources, (std::vector{ResourceDemand{"db", 2}}));
  ASSERT_TRUE(job.locks);
  EXPECT_EQ(job.locks->at(0).level, "node");
  EXPECT_EQ(to_text(job.locks->at(0)), "shared:b exclusive:a");
  EXPECT_EQ(job.params.at("instance"), "i1");
  EXPECT_EQ(job.reasons, std::vector<std::string>{"rate-limit:2:deploy"});
}

/// What a wrong field is answered with.
template <typename Field>
std::string problem_with(Field sluice_job_options::*field, Field value) {
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.*field = value;
  return problem_of_options(options);
}

TEST(CJob, SaysWhichFieldIsWrong) {
  EXPECT_EQ(problem_with(&sluice_job_options::size, std::size_t{0}),
            "sluice_job_options.size: must be sizeof(sluice_job_options)");
  EXPECT_EQ(problem_with<const char*>(&sluice_job_options::key, "\xff"),
            "key: is not UTF-8, or has a control character");
  EXPECT_EQ(problem_with<std::int64_t>(&sluice_job_options::cost, -1),
            "cost: -1 is not from 0 to 16777215");
  EXPECT_EQ(problem_with<std::int64_t>(&sluice_job_options::memory, -1),
            "memory: -1 is not from 0 to 1152921504606846976");
  EXPECT_EQ(problem_with(&sluice_job_options::has_priority, 2),
            "has_priority: 2 is neither 0 nor 1");
  sluice_job_options first = SLUICE_JOB_OPTIONS_INIT;
  first.has_priority = 1;
  first.priority = 1'000'001;
  EXPECT_EQ(problem_of_options(first), "priority: 1000001 is not from -1000000 to 1000000");
  EXPECT_EQ(problem_with(&sluice_job_options::inventory, -1),
            "inventory: -1 is not from 0 to 1000000");
  EXPECT_EQ(problem_with(&sluice_job_options::global_lock, -1),
            "global_lock: -1 is neither 0 nor 1");
  EXPECT_EQ(problem_with(&sluice_job_options::on_failure, 3),
            "on_failure: 3 is no sluice_on_failure");
  EXPECT_EQ(problem_with(&sluice_job_options::after_count, std::size_t{1}),
            "after: is NULL, but its count is not 0");
}

std::string problem_with_entry(const char* const* sluice_job_options::*list,
                               std::size_t sluice_job_options::*count, const char* entry) {
  const std::array<const char*, 1> entries{entry};
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.*list = entries.data();
  options.*count = 1;
  return problem_of_options(options);
}

TEST(CJob, SaysWhichEntryIsWrong) {
  const auto resource = [](const char* entry) {
    return problem_with_entry(&sluice_job_options::resources, &sluice_job_options::resource_count,
                              entry);
  };
  EXPECT_EQ(resource("db"), "resources[0]: \"db\" is not MANAGER=AMOUNT");
  EXPECT_EQ(resource("db=x"), "resources[0]: \"x\" is not a whole number");
  EXPECT_EQ(resource("db=-1"), "resources[0]: -1 is not from 0 to 1000000000000");
  EXPECT_EQ(resource(nullptr), "resources[0]: is NULL");
  const std::string lock = problem_with_entry(&sluice_job_options::locks,
                                              &sluice_job_options::lock_count, "node=some:a");
  EXPECT_TRUE(lock.starts_with("locks[0]: ")) << lock;
  EXPECT_EQ(
      problem_with_entry(&sluice_job_options::reasons, &sluice_job_options::reason_count, nullptr),
      "reasons[0]: is NULL");
}

TEST(CUsage, PeakIsAtLeastWhatIsHeld) {
  sluice_usage usage = SLUICE_USAGE_INIT;
  usage.wall = 2;
  usage.cpu = 1.5;
  usage.memory = 300;
  const JobUsage used = job_usage(usage);
  EXPECT_EQ(used.source, JobUsage::Source::reported);
  EXPECT_EQ(used.wall, std::chrono::seconds(2));
  EXPECT_EQ(used.cpu, std::chrono::milliseconds(1500));
  EXPECT_EQ(used.memory, Bytes{300});
  EXPECT_EQ(used.peak_memory, Bytes{300});
}

TEST(COutcome, IsOneOfFive) {
  EXPECT_EQ(job_outcome(SLUICE_OUTCOME_OK), Outcome::ok);
  EXPECT_EQ(job_outcome(SLUICE_OUTCOME_FAILED), Outcome::failed);
  EXPECT_EQ(job_outcome(SLUICE_OUTCOME_OOM), Outcome::oom);
  EXPECT_EQ(job_outcome(SLUICE_OUTCOME_CANCELLED), Outcome::cancelled);
  EXPECT_EQ(job_outcome(SLUICE_OUTCOME_UNKNOWN), Outcome::unknown);
  EXPECT_THROW(job_outcome(5), std::invalid_argument);
  EXPECT_THROW(job_outcome(-1), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::capi
