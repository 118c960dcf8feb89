#include <gtest/gtest.h>
#include <unistd.h>

#include "fixture.h"

namespace sluice::testing {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

TEST(Reload, AFileThatIsGoneIsAnErrorLikeAnyOther) {
  RunningDaemon daemon;
  unlink(daemon.config_file.c_str());
  EXPECT_EQ(daemon.ask("POST", "/v1/reload").status, 422);
  EXPECT_TRUE(
      has(daemon.ask("GET", "/v1/status").body, "\"reload\":{\"ok\":false,\"failures\":1}"));
}

}  // namespace
}  // namespace sluice::testing
