// A daemon that judges the cgroup of an executor that attached it.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "attach_fixture.h"

namespace sluice::testing::attach_test {
namespace {

TEST_F(Attach, NothingIsAdmittedUntilAnExecutorHas) {
  const RunningDaemon daemon(kSidecar);
  ASSERT_EQ(daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 201);
  const json::object waiting = object_of(daemon.ask("GET", "/v1/jobs/a").body);
  EXPECT_EQ(waiting.at("state"), "pending") << "an idle host takes one job, but not here";
  const json::object blind = sensor_of(daemon);
  EXPECT_TRUE(blind.at("verdict") == "red");
  EXPECT_EQ(blind.at("failure"),
            "no executor has attached its cgroup yet: run `sluice attach` in its container");
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"none"});
  EXPECT_EQ(daemon.ask("GET", "/readyz").status, 200) << "a native sidecar starts first";
  EXPECT_EQ(window_of(daemon), 20) << "what is not known cuts nothing";

  const ClientReply attached = attach_own(daemon);
  ASSERT_EQ(attached.status, 200) << attached.body;
  EXPECT_TRUE(eventually(
      [&] { return object_of(daemon.ask("GET", "/v1/jobs/a").body).at("state") == "running"; }));
  const std::vector<std::string> sources = sources_in(daemon);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources.front().substr(0, 8), "attach:/") << sources.front();
  EXPECT_NE(daemon.log().find("attached its cgroup"), std::string::npos);
}

TEST_F(Attach, UnderTheMailingListsLawNothingIsCutEither) {
  const RunningDaemon daemon(
      "window: {law: rfc, initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  const auto failures = [&] { return sensor_of(daemon).at("failures").to_number<std::int64_t>(); };
  ASSERT_TRUE(eventually([&] { return failures() > 5; }));
  EXPECT_EQ(window_of(daemon), 20);
}

TEST_F(Attach, TheSameGroupAgainChangesNothing) {
  const RunningDaemon daemon(kSidecar);
  ASSERT_EQ(attach_own(daemon).status, 200);
  EXPECT_EQ(attach_own(daemon).status, 200);
  const std::string log = daemon.log();
  const std::string line = "attached its cgroup /";
  EXPECT_EQ(log.find(line, log.find(line) + 1), std::string::npos) << "no sensor is rebuilt for it";
}

TEST_F(Attach, ADaemonThatIsNoSidecarSaysSo) {
  const RunningDaemon daemon;
  const ClientReply refused = attach_own(daemon);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(message_of(refused),
            "this daemon watches its own cgroup: set `sensors.cgroup.source: attach` and restart "
            "it");
}

TEST_F(Attach, AContainerThatEndsStopsAdmissionUntilTheNextOneHasAttached) {
  auto group = std::make_unique<RealCgroup>("memory");
  if (!group->problem().empty()) GTEST_SKIP() << group->problem();
  const RunningDaemon daemon(kSidecar);
  const auto attach_in = [&](const RealCgroup& container, const char* limit) {
    ASSERT_TRUE(container.write("memory.limit_in_bytes", limit));
    const Ended ended = attach_from(container, daemon, folder.path(""));
    EXPECT_EQ(object_of(ended.out).at("memory_limit"), std::stoll(limit)) << ended.err;
  };
  attach_in(*group, "268435456");
  ASSERT_EQ(daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})").status, 201);
  ASSERT_TRUE(eventually([&] { return !is_red(daemon); }));
  const std::int64_t size = window_of(daemon);

  group.reset();
  ASSERT_TRUE(eventually([&] { return is_red(daemon); }));
  const std::string why(sensor_of(daemon).at("failure").as_string());
  EXPECT_NE(why.find("has been removed: its container has ended"), std::string::npos) << why;
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"none"});
  daemon.ask("POST", "/v1/jobs", R"({"id":"b","cost":5})");
  EXPECT_EQ(object_of(daemon.ask("GET", "/v1/jobs/b").body).at("state"), "pending");
  EXPECT_EQ(window_of(daemon), size);
  EXPECT_NE(daemon.log().find("sensor cgroup failed: the executor's cgroup"), std::string::npos);

  const RealCgroup next("memory");
  attach_in(next, "134217728");
  EXPECT_TRUE(eventually(
      [&] { return object_of(daemon.ask("GET", "/v1/jobs/b").body).at("state") == "running"; }));
  EXPECT_FALSE(is_red(daemon));
}

TEST_F(Attach, TheWindowBecomesTheExecutors) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 20/cpu, minimum: 1, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  const std::int64_t of_the_host = window_of(daemon);
  const Ended ended = attach_from(group, daemon, folder.path(""));
  EXPECT_EQ(object_of(ended.out).at("cpus"), 0.5) << ended.out << ended.err;
  EXPECT_EQ(window_of(daemon), 10) << "20 points for each CPU, and half a CPU";
  EXPECT_GT(of_the_host, 10);
}

TEST_F(Attach, AQuotaThatChangesInPlaceIsFollowed) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 20/cpu, minimum: 1, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  attach_from(group, daemon, folder.path(""));
  const auto maximum = [&] {
    const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
    return status.at("window").at("maximum").to_number<std::int64_t>();
  };
  EXPECT_EQ(maximum(), 50);
  ASSERT_TRUE(group.write("cpu.cfs_quota_us", "20000"));
  EXPECT_TRUE(eventually([&] { return maximum() == 20; })) << daemon.log();
}

TEST_F(Attach, AnExecutorThatCannotBeGovernedIsRefusedEachTimeAndTheSensorSaysWhy) {
  RealCgroup group("cpu");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  if (!group.write("cpu.cfs_quota_us", "50000")) GTEST_SKIP() << "no CPU quota can be set here";
  const RunningDaemon daemon(
      "window: {initial: 60, minimum: 60, maximum: 100/cpu, interval: 10ms}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, disk: off, pids: off}\n");
  for (int turn = 0; turn < 2; ++turn) {
    const Ended ended = attach_from(group, daemon, folder.path(""));
    EXPECT_EQ(ended.status, 2) << turn;
    EXPECT_NE(ended.err.find("window.minimum"), std::string::npos) << ended.err;
  }
  const std::int64_t looks = sensor_of(daemon).at("failures").to_number<std::int64_t>();
  ASSERT_TRUE(eventually([&] {
    return sensor_of(daemon).at("failures").to_number<std::int64_t>() > looks + 150;
  })) << "more than a second at one look in 10 ms";
  const std::string why(sensor_of(daemon).at("failure").as_string());
  EXPECT_NE(why.find("window.minimum"), std::string::npos) << why;
  EXPECT_EQ(attach_own(daemon).status, 200) << "another one that can be is taken";
}

TEST_F(Attach, WhoWaitedIsAdmittedByTheExecutorsMemoryAndNotByTheHosts) {
  RealCgroup group("memory");
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  ASSERT_TRUE(group.write("memory.limit_in_bytes", "536870912"));
  // Longer than the test lasts, so the window thread reads no limits meanwhile.
  const RunningDaemon daemon(
      "window: {initial: 20, minimum: 10, maximum: 40, interval: 60s}\n"
      "sensors: {cgroup: {source: attach}, memory: off, load: off, memory_pressure: off,\n"
      "          io_pressure: off, disk: off, pids: off, starting: off}\n");
  for (int job = 0; job < 5; ++job) {
    daemon.ask("POST", "/v1/jobs", R"({"cost":1,"memory":"300MiB"})");
  }
  attach_from(group, daemon, folder.path(""));
  const auto running = [&] {
    const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
    return status.at("jobs").at("running").to_number<std::int64_t>();
  };
  ASSERT_TRUE(eventually([&] { return running() > 0; }));
  EXPECT_EQ(running(), 1);
}

TEST_F(Attach, OtherSourcesComeInTheirOrder) {
  std::filesystem::create_directory(folder.path("podinfo"));
  const std::string yaml =
      "window: {initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
      "sensors: {cgroup: {source: auto, podinfo: " +
      folder.path("podinfo") +
      ", memory: 3GiB, cpus: 2},\n  memory: off, load: off, disk: off, pids: off}\n";
  const RunningDaemon daemon(yaml);
  EXPECT_EQ(sources_in(daemon), std::vector<std::string>{"config"});
  write_file(folder.path("podinfo/memory_limit"), "1073741824");
  EXPECT_EQ(attach_own(daemon).status, 200);
  ASSERT_EQ(sources_in(daemon).size(), 1u);
  EXPECT_EQ(sources_in(daemon).front().substr(0, 8), "attach:/") << "who attaches goes first";
  const RunningDaemon another(yaml);
  EXPECT_EQ(sources_in(another), std::vector<std::string>{"downward"});
}

}  // namespace
}  // namespace sluice::testing::attach_test
