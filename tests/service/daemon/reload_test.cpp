#include <gtest/gtest.h>
#include <unistd.h>

#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {

std::string larger_window() {
  std::string text = kSmallWindow;
  for (std::size_t at = 0; (at = text.find(" 20", at)) != std::string::npos;) {
    text.replace(at, 3, " 40");
  }
  return text;
}

TEST(Reload, TakesTheNewConfigurationAndKeepsTheJobs) {
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  daemon.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  write_file(daemon.config_file, larger_window());
  const auto reply = daemon.ask("POST", "/v1/reload");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_TRUE(eventually([&] {
    return has(daemon.ask("GET", "/v1/jobs/b").body, "\"state\":\"running\"");
  })) << daemon.ask("GET", "/v1/status").body;
  EXPECT_TRUE(has(daemon.ask("GET", "/v1/jobs/a").body, "\"state\":\"running\""));
  EXPECT_TRUE(has(daemon.ask("GET", "/metrics").body, "sluice_config_last_reload_successful 1\n"));
}

TEST(Reload, ChangesNothingThatTheCommandLineSays) {
  const auto amend = [](Config& config) {
    WindowOptions& window = config.governing.window;
    window.initial = window.minimum = window.maximum = PointsSpec{7};
  };
  const RunningDaemon daemon("", {}, {}, amend);
  write_file(daemon.config_file, larger_window());
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  EXPECT_TRUE(has(daemon.ask("GET", "/v1/status").body, "\"size\":7,"))
      << daemon.ask("GET", "/v1/status").body;
}

TEST(Reload, TellsWhichChangesCountFromTheNextStartOn) {
  const RunningDaemon daemon;
  const auto reload = [&] { return daemon.ask("POST", "/v1/reload").body; };
  EXPECT_TRUE(has(reload(), "\"at_restart\":[]"));
  write_file(daemon.config_file,
             larger_window() +
                 "state_dir: /no/such\n"
                 "service: {listen: \"127.0.0.1:1\", record: {enabled: false}}\n");
  const std::string changed = reload();
  EXPECT_TRUE(has(changed, R"("at_restart":["service.listen","service.record.enabled",)"
                           R"("state_dir"])"))
      << changed;
  EXPECT_TRUE(has(daemon.log(),
                  "changed, but read only at startup: service.listen, service.record.enabled, "
                  "state_dir; restart the daemon to apply them"))
      << daemon.log();
  write_file(daemon.config_file, kSmallWindow);
  EXPECT_TRUE(has(reload(), "\"at_restart\":[]"));
}

TEST(Reload, KeepsTheOldOneWhereTheNewOneHasAnError) {
  RunningDaemon daemon;
  write_file(daemon.config_file, "window:\n  initail: 5\n  step: many\n");
  const auto reply = daemon.ask("POST", "/v1/reload");
  EXPECT_EQ(reply.status, 422);
  EXPECT_TRUE(has(reply.body, "\"line\":2,\"column\":3")) << reply.body;
  EXPECT_TRUE(has(reply.body, "\"line\":3")) << reply.body;
  EXPECT_TRUE(has(daemon.ask("GET", "/v1/status").body, "\"size\":20"));
  EXPECT_TRUE(has(daemon.ask("GET", "/metrics").body, "sluice_config_last_reload_successful 0\n"));
  EXPECT_TRUE(has(daemon.log(), "sluice.yaml:2:3: ")) << daemon.log();
  write_file(daemon.config_file, kSmallWindow);
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  EXPECT_TRUE(has(daemon.ask("GET", "/metrics").body, "sluice_config_last_reload_successful 1\n"));
}

const std::string kNightly =
    "queues: {default: {}, nightly: {}}\n"
    "resources: {ports: {kind: discrete, items: [p1, p2]}}\n";

TEST(Reload, AQueueWithJobsInItStays) {
  RunningDaemon daemon(kSmallWindow + kNightly);
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"resources":{"ports":1}})");
  daemon.ask("POST", "/v1/jobs", R"({"id":"b","cost":20,"queue":"nightly"})");
  const std::string ports = kNightly.substr(kNightly.find("resources"));
  write_file(daemon.config_file, larger_window() + ports);
  const auto reply = daemon.ask("POST", "/v1/reload");
  EXPECT_EQ(reply.status, 422);
  EXPECT_TRUE(has(reply.body, "queues.nightly")) << reply.body;
  const std::string status = daemon.ask("GET", "/v1/status").body;
  EXPECT_TRUE(has(status, "\"size\":20")) << "nothing of it is done";
  EXPECT_TRUE(has(status, "\"name\":\"nightly\"")) << status;
  EXPECT_TRUE(has(daemon.ask("GET", "/v1/jobs/b").body, "\"queue\":\"nightly\""));
  daemon.ask("DELETE", "/v1/jobs/a");
  daemon.ask("DELETE", "/v1/jobs/b");
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  EXPECT_FALSE(has(daemon.ask("GET", "/v1/status").body, "nightly"));
}

TEST(Reload, JqmsNamesComeWithTheConfiguration) {
  RunningDaemon daemon(kSmallWindow + kNightly);
  const auto environment = [&] {
    const std::string job = daemon.ask("POST", "/v1/jobs", R"({"resources":{"ports":1}})").body;
    return has(job, R"("JQM_RM_DISCRETE_PORTS_ITEMS":"p)");
  };
  EXPECT_FALSE(environment());
  write_file(daemon.config_file,
             kSmallWindow + std::string("resources: {ports: {kind: discrete, items: [p1, p2], "
                                        "jqm_compatible: true}}\n"));
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  EXPECT_TRUE(environment());
}

TEST(Reload, ProgramsOfBuildsComeWithTheConfiguration) {
  RunningDaemon daemon;
  EXPECT_EQ(daemon.ask("GET", "/v1/build").body,
            "{\"programs\":{},\"learned\":[],\"timers\":[],\"timed_hold\":10}");
  write_file(daemon.config_file,
             kSmallWindow + std::string("build: {programs: {swiftc: heavy, protoc: unknown, w.sh: "
                                        "free}, timers: [bats], timed_hold: 1500ms}\n"));
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  EXPECT_EQ(daemon.ask("GET", "/v1/build").body,
            "{\"programs\":{\"protoc\":\"unknown\",\"swiftc\":\"heavy\",\"w.sh\":\"free\"},"
            "\"learned\":[],\"timers\":[\"bats\"],\"timed_hold\":1.5}");
}

TEST(Reload, AFileThatIsGoneIsAnErrorLikeAnyOther) {
  RunningDaemon daemon;
  unlink(daemon.config_file.c_str());
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 422);
  EXPECT_TRUE(
      has(daemon.ask("GET", "/v1/status").body, "\"reload\":{\"ok\":false,\"failures\":1}"));
}

TEST(Reload, AFileThatOnlyNamesQueuesOrResourcesIsNotEmpty) {
  RunningDaemon daemon("queues: {default: {}, night: {}}\n");
  for (const char* text : {"queues: {default: {}}\n", "resources: {db: {}}\n"}) {
    write_file(daemon.config_file, text);
    const auto reply = daemon.ask("POST", "/v1/reload");
    EXPECT_EQ(reply.status, 200) << text << reply.body;
  }
  const std::string status = daemon.ask("GET", "/v1/status").body;
  EXPECT_FALSE(has(status, "\"name\":\"night\"")) << status;
  EXPECT_TRUE(has(status, "\"manager\":\"db\"")) << status;
  write_file(daemon.config_file, "resources:\n");
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 422) << "it lost the resource";
}

TEST(Reload, AFileThatLostItsSettingsKeepsTheOldOnes) {
  RunningDaemon daemon;
  for (const char* text : {"", "# nothing but a comment\n", "---\n", "window:\n", "window: {}\n"}) {
    write_file(daemon.config_file, text);
    const auto reply = daemon.ask("POST", "/v1/reload");
    EXPECT_EQ(reply.status, 422) << text;
    EXPECT_TRUE(has(reply.body, "write {} for the defaults")) << reply.body;
    EXPECT_TRUE(has(daemon.ask("GET", "/v1/status").body, "\"size\":20"));
  }
  write_file(daemon.config_file, "{}\n");
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200);
  write_file(daemon.config_file, "");
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 200) << "there was none to keep";
}

}  // namespace
}  // namespace sluice::testing
