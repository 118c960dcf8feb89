#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "quiet_governor.h"

namespace sluice::capi {
namespace {

/// Waits that have ended, in order.
class Ends {
 public:
  struct End {
    std::uint64_t id;
    sluice_permit* permit;
    std::string reason;
  };

  static void add(void* context, std::uint64_t id, sluice_permit* permit,
                  const sluice_error* refusal) {
    auto& ends = *static_cast<Ends*>(context);
    const std::lock_guard lock(ends.mutex_);
    ends.ends_.push_back({id, permit, refusal != nullptr ? refusal->reason : ""});
    ends.changed_.notify_all();
  }

  End wait(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_.size() > number; });
    return ends_[number];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<End> ends_;
};

TEST(CGovernor, ListsAllErrorsOfTheConfiguration) {
  const QuietGovernor governor("backfill: no\nno_such: 1\n");
  EXPECT_EQ(governor.code, SLUICE_INVALID);
  EXPECT_EQ(governor.handle, nullptr);
  const std::string text = governor.error.text;
  EXPECT_NE(text.find(":5:"), std::string::npos) << text;
  EXPECT_NE(text.find("\n"), std::string::npos) << text;
  EXPECT_NE(text.find("no_such"), std::string::npos) << text;
}

TEST(CGovernor, NamesAConfigurationThatIsNotThere) {
  sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
  options.config_file = "/no/such/file";
  sluice_governor* governor = nullptr;
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_govern(&options, &governor, &error), SLUICE_INVALID);
  EXPECT_NE(std::string(error.text).find("/no/such/file"), std::string::npos) << error.text;
}

TEST(CGovernor, NamesAStateFolderThatIsAFileSinceNothingCouldBeLearned) {
  const ConfigFile state("");
  const std::string path = state.path();
  for (const std::string& folder : {path, path + "/below"}) {
    const ConfigFile file("state_dir: " + folder + "\n");
    sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
    options.config_file = file.path();
    sluice_governor* governor = nullptr;
    sluice_error error = SLUICE_ERROR_INIT;
    EXPECT_EQ(sluice_govern(&options, &governor, &error), SLUICE_INVALID);
    EXPECT_EQ(std::string(error.text), "state_dir: " + folder + " is not a folder");
  }
}

TEST(CGovernor, RefusesAJobAfterOneThatNeverWas) {
  const QuietGovernor governor;
  const std::uint64_t never[] = {99999};
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.after = never;
  options.after_count = 1;
  const Job job(options);
  sluice_permit* permit = nullptr;
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, &error), SLUICE_REFUSED);
  EXPECT_STREQ(error.text, "after: there is no job 99999");
  Ends ends;
  EXPECT_EQ(sluice_submit(governor.handle, job.handle, Ends::add, &ends, nullptr, nullptr),
            SLUICE_REFUSED);
}

TEST(CGovernor, GovernsThisHostWithoutOptions) {
  sluice_governor* governor = nullptr;
  sluice_error error = SLUICE_ERROR_INIT;
  ASSERT_EQ(sluice_govern(nullptr, &governor, &error), SLUICE_OK) << error.text;
  EXPECT_EQ(sluice_governor_destroy(governor, &error), SLUICE_OK);
}

TEST(CGovernor, SaysWhatIsInvalidInAJob) {
  const QuietGovernor governor;
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.queue = "nowhere";
  const Job job(options);
  sluice_permit* permit = nullptr;
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, &error), SLUICE_REFUSED);
  EXPECT_STREQ(error.reason, "invalid");
  EXPECT_TRUE(std::string(error.text).starts_with("queue: there is no queue")) << error.text;
  error = SLUICE_ERROR_INIT;
  Ends ends;
  std::uint64_t id = 7;
  EXPECT_EQ(sluice_submit(governor.handle, job.handle, Ends::add, &ends, &id, &error),
            SLUICE_REFUSED);
  EXPECT_EQ(id, 0u);
  EXPECT_STREQ(error.reason, "invalid");
}

TEST(CGovernor, NamesTheJobThatStandsForAnother) {
  const QuietGovernor governor(
      "resources: {solo: {kind: highlander}}\nqueues: {default: {resources: [solo]}}\n");
  ASSERT_EQ(governor.code, SLUICE_OK) << governor.error.text;
  sluice_job_options options = Job::costing(10);
  options.key = "mirror";
  const Job job(options);
  sluice_pause(governor.handle, nullptr);
  Ends ends;
  std::uint64_t first = 0, second = 0;
  sluice_error error = SLUICE_ERROR_INIT;
  ASSERT_EQ(sluice_submit(governor.handle, job.handle, Ends::add, &ends, &first, &error),
            SLUICE_OK);
  EXPECT_EQ(sluice_submit(governor.handle, job.handle, Ends::add, &ends, &second, &error),
            SLUICE_REFUSED);
  EXPECT_STREQ(error.reason, "deduplicated");
  EXPECT_EQ(second, first);
  EXPECT_EQ(sluice_cancel(governor.handle, first, nullptr), SLUICE_OK);
  EXPECT_EQ(ends.wait(0).reason, "cancelled");
}

TEST(CGovernor, APermitNamesTheItemsThatItHolds) {
  const QuietGovernor governor("resources: {device: {kind: discrete, items: [sda, sdb]}}\n");
  ASSERT_EQ(governor.code, SLUICE_OK) << governor.error.text;
  const char* const one[] = {"device=1"};
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  options.resources = one;
  options.resource_count = 1;
  const Job job(options);
  sluice_permit* permit = nullptr;
  ASSERT_EQ(sluice_try_admit(governor.handle, job.handle, &permit, nullptr), SLUICE_OK);
  char* json = nullptr;
  ASSERT_EQ(sluice_permit_items(permit, &json, nullptr), SLUICE_OK);
  EXPECT_STREQ(json, R"({"device":["sda"]})");
  sluice_free(json);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
}

TEST(CGovernor, CancelsOnlyWhatWaits) {
  const QuietGovernor governor;
  sluice_error error = SLUICE_ERROR_INIT;
  EXPECT_EQ(sluice_cancel(governor.handle, 77, &error), SLUICE_INVALID);
  EXPECT_STREQ(error.text, "id: job 77 does not wait");
}

/// What `on_accepting` is told.
struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<int> accepting;
  std::string reason;

  static void add(void* context, int accepting, const char* reason) {
    auto& told = *static_cast<Told*>(context);
    const std::lock_guard lock(told.mutex);
    told.accepting = accepting;
    told.reason = reason;
    told.changed.notify_all();
  }
  std::string wait_for(int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return accepting == wanted; });
    return reason;
  }
};

TEST(CGovernor, TellsWhetherItTakesWork) {
  Told told;
  sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
  options.on_accepting = Told::add;
  options.on_accepting_context = &told;
  const QuietGovernor governor("", options);
  told.wait_for(1);
  sluice_pause(governor.handle, nullptr);
  EXPECT_NE(told.wait_for(0).find("paused"), std::string::npos);
  sluice_resume(governor.handle, nullptr);
  told.wait_for(1);
}

TEST(CGovernor, AJobMayBeUsedByManyThreadsAtOnce) {
  const QuietGovernor governor;
  const Job job(10);
  std::atomic<int> admitted = 0;
  const auto use = [&] {
    for (int i = 0; i < 500; ++i) {
      sluice_permit* permit = nullptr;
      sluice_error error = SLUICE_ERROR_INIT;
      const sluice_code code = sluice_try_admit(governor.handle, job.handle, &permit, &error);
      if (code == SLUICE_OK) {
        ++admitted;
        sluice_permit_release(permit, SLUICE_OUTCOME_OK, &error);
      } else {
        EXPECT_EQ(code, SLUICE_REFUSED) << error.text;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(use);
  for (std::thread& thread : threads) thread.join();
  char* json = nullptr;
  ASSERT_EQ(sluice_status_json(governor.handle, &json, nullptr), SLUICE_OK);
  const boost::json::object status = boost::json::parse(json).as_object();
  sluice_free(json);
  EXPECT_EQ(status.at("window").at("usage"), 0);
  EXPECT_EQ(status.at("counters").at("finished").at("ok"), admitted.load());
}

TEST(CGovernor, ItsStatusHasTheNamesOfTheApi) {
  const QuietGovernor governor;
  char* json = nullptr;
  ASSERT_EQ(sluice_status_json(governor.handle, &json, nullptr), SLUICE_OK);
  const boost::json::object status = boost::json::parse(json).as_object();
  sluice_free(json);
  for (const char* name : {"version", "now", "window", "jobs", "registered", "queues", "resources",
                           "memory", "cpu", "sensors", "counters"}) {
    EXPECT_TRUE(status.contains(name)) << name;
  }
  EXPECT_EQ(status.at("window").at("size"), 40);
}

TEST(CGovernor, APermitMayBeReleasedByItsCallback) {
  const QuietGovernor governor;
  const Job job(40);
  std::atomic<int> released = 0;
  const auto release = [](void* context, std::uint64_t, sluice_permit* permit,
                          const sluice_error*) {
    ++*static_cast<std::atomic<int>*>(context);
    sluice_permit_release(permit, SLUICE_OUTCOME_OK, nullptr);
  };
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(sluice_submit(governor.handle, job.handle, release, &released, nullptr, nullptr),
              SLUICE_OK);
  }
  ASSERT_EQ(sluice_wait_until_idle(governor.handle, nullptr), SLUICE_OK);
  EXPECT_EQ(released, 50);
}

}  // namespace
}  // namespace sluice::capi
