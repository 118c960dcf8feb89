// `sluice batch` of a daemon that may open no more files.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "command_runner.h"
#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {
using namespace std::string_literals;

class BatchOfDaemonWithoutDescriptors : public ::testing::Test {
 protected:
  /// A job that runs until `end`; the next one comes after the first has ended.
  std::string lasting(const std::string& id) const {
    return R"({"cost": 1, "id": ")" + id + R"(", "command": "touch )" + here(id) + "; until [ -e " +
           here("end-" + id) + " ]; do sleep 0.01; done\"}\n";
  }
  void begin(const std::string& jobs) {
    write_file(here("jobs"),
               jobs + R"({"cost": 1, "after": ["a"], "command": "touch )" + here("next") + "\"}\n");
    batch.emplace(std::vector<std::string>{SLUICE_COMMAND, "batch", "--socket", daemon.socket(),
                                           "--state-dir", here("state"), "-f", here("jobs")},
                  folder.path(""));
  }
  void end(const std::string& id) const { write_file(here("end-" + id), ""); }
  bool exists(const std::string& name) const { return access(here(name).c_str(), F_OK) == 0; }
  std::string here(const std::string& name) const { return folder.path(name); }

  /// Leaves it no further descriptor. Returns the limit before.
  rlimit leave_none() const {
    rlimit before{};
    prlimit(batch->pid(), RLIMIT_NOFILE, nullptr, &before);
    const rlimit none{3, before.rlim_max};
    EXPECT_EQ(prlimit(batch->pid(), RLIMIT_NOFILE, &none, nullptr), 0);
    return before;
  }

  RunningDaemon daemon;
  TemporaryFolder folder;
  std::optional<CommandRunner> batch;
};

constexpr const char* kSaid = "too many open files, of which this process may have 3: raise that";

TEST_F(BatchOfDaemonWithoutDescriptors, WhatCannotBeSubmittedIsSubmittedLater) {
  begin(lasting("a") + lasting("b"));
  ASSERT_TRUE(eventually([&] { return exists("a") && exists("b"); })) << batch->err();
  const rlimit before = leave_none();
  end("a");
  EXPECT_TRUE(eventually([&] { return has(batch->err(), kSaid); })) << batch->err();
  EXPECT_FALSE(exists("next"));
  ASSERT_EQ(prlimit(batch->pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(eventually([&] { return exists("next"); })) << batch->err();
  end("b");
  EXPECT_EQ(batch->wait(), 0) << batch->err();
  EXPECT_TRUE(has(batch->err(), "jobs        3 of 3 ran, 0 failed\n")) << batch->err();
}

TEST_F(BatchOfDaemonWithoutDescriptors, WhereNothingCanFreeSomeTheRestIsAnError) {
  begin(lasting("a"));
  ASSERT_TRUE(eventually([&] { return exists("a"); })) << batch->err();
  const rlimit before = leave_none();
  end("a");
  EXPECT_TRUE(eventually([&] { return has(batch->err(), kSaid + " limit (ulimit -n)\n"s); }))
      << batch->err();
  ASSERT_EQ(prlimit(batch->pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_EQ(WEXITSTATUS(batch->wait()), 1);
  EXPECT_FALSE(exists("next"));
}

}  // namespace
}  // namespace sluice::testing
