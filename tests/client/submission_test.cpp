#include "client/submission.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "client/answer.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;

Submission of(const Words& command, const std::string& folder = "/home/a/project/build") {
  return submission_of(command, {folder, {"/tmp"}}, "launch-1", "");
}

TEST(LaunchSubmission, HasAKeyForEachSourceAndEachLinkedProgram) {
  const std::vector<Words> commands{{"g++", "-c", "../src/alpha.cc", "-o", "alpha.o"},
                                    {"g++", "-c", "../src/beta.cc", "-o", "beta.o"},
                                    {"g++", "-O2", "-c", "../src/beta.cc", "-o", "beta.o"},
                                    {"clang++", "-c", "../src/beta.cc", "-o", "beta.o"},
                                    {"g++", "alpha.o", "-o", "alpha"},
                                    {"g++", "alpha.o", "beta.o", "-o", "both"}};
  std::set<std::string> keys;
  for (const Words& command : commands) keys.insert(of(command).key);
  EXPECT_EQ(keys.size(), commands.size());
}

TEST(LaunchSubmission, HasTheKeyOfTheSameCompileInAnotherWorktreeAndByAnotherLauncher) {
  const auto here = of({"g++", "-c", "/home/a/project/src/alpha.cc"});
  const auto there = of({"g++", "-c", "/home/b/tree/src/alpha.cc"}, "/home/b/tree/build");
  EXPECT_EQ(here.key, there.key);
  EXPECT_EQ(here.variant, there.variant);
  EXPECT_EQ(of({"ccache", "/usr/bin/g++", "-c", "/home/a/project/src/alpha.cc"}).key, here.key);
}

TEST(LaunchSubmission, TellsSourcesOfOneNameApartByTheirFolder) {
  const Words command{"cc", "-c", "main.c"};
  EXPECT_EQ(of(command, "/home/a/project/one").key, of(command, "/home/a/project/two").key);
  EXPECT_NE(of(command, "/home/a/project/one").variant, of(command, "/home/a/project/two").variant);
}

TEST(LaunchSubmission, NamesTheCompilerAndForALinkTheLinker) {
  EXPECT_EQ(of({"/usr/bin/g++-12", "-c", "a.cc"}).program, "g++-12");
  EXPECT_EQ(of({"g++", "a.o", "-o", "prog"}).program, "ld");
  EXPECT_EQ(of({"rustc", "src/lib.rs"}).program, "rustc");
  EXPECT_EQ(of({"sleep", "1"}).program, "sleep");
}

TEST(LaunchSubmission, NamesItsQueueAndPriorityWhereItHasThem) {
  Submission submission = of({"cc", "-c", "a.c"});
  EXPECT_EQ(submit_body(submission).find("queue"), std::string::npos);
  EXPECT_EQ(submit_body(submission).find("priority"), std::string::npos);
  submission.queue = "build-7";
  submission.priority = -1;
  const auto body = boost::json::parse(submit_body(submission)).as_object();
  EXPECT_EQ(body.at("queue"), "build-7");
  EXPECT_EQ(body.at("priority"), -1);
}

TEST(LaunchSubmission, IsABodyThatHangsOnConnectionAndProcess) {
  Submission submission = of({"cc", "-c", "a.c"});
  submission.parent = "permit";
  auto body = boost::json::parse(submit_body(submission)).as_object();
  EXPECT_EQ(body.at("hold"), "connection");
  EXPECT_EQ(body.at("pid"), "peer");
  EXPECT_EQ(body.at("id"), "launch-1");
  EXPECT_EQ(body.at("parent"), "permit");
  EXPECT_EQ(body.at("program"), "cc");
  EXPECT_TRUE(body.at("measured").as_bool());
  EXPECT_TRUE(body.at("suspendable").as_bool());
  submission.lease = Submission::Lease::connection;
  body = boost::json::parse(submit_body(submission)).as_object();
  EXPECT_FALSE(body.contains("pid"));
}

TEST(LaunchSubmission, ReportsAtTheEndWhatTheKernelCounted) {
  JobUsage usage;
  usage.wall = std::chrono::milliseconds(1500);
  usage.cpu = std::chrono::milliseconds(1250);
  usage.peak_memory = Bytes{1 << 20};
  usage.written = Bytes{512};
  usage.oom_kills = 1;
  const auto told = boost::json::parse(end_body(usage)).at("usage").as_object();
  EXPECT_EQ(told.at("wall").as_double(), 1.5);
  EXPECT_EQ(told.at("cpu").as_double(), 1.25);
  EXPECT_EQ(told.at("peak_memory").as_int64(), 1 << 20);
  EXPECT_EQ(told.at("written").as_int64(), 512);
  EXPECT_FALSE(told.contains("read"));
  EXPECT_EQ(told.at("oom_kills").as_int64(), 1);
}

TEST(LaunchAnswer, SaysWhatMemoryIsFree) {
  EXPECT_EQ(read_free_memory({200, R"({"memory": {"promised": 100, "others": 30, "kept": 50}})"}),
            Bytes{20});
  EXPECT_EQ(read_free_memory({200, R"({"memory": {"promised": 100, "others": 80, "kept": 50}})"}),
            Bytes{0});
  EXPECT_EQ(read_free_memory({200, R"({"memory": {"promised": 100}})"}), std::nullopt);
  EXPECT_EQ(read_free_memory({200, R"({"memory": null})"}), std::nullopt);
}

TEST(LaunchAnswer, SaysWhyNoJobOfAQueueStarts) {
  const std::string queues = R"("queues": [{"name": "default", "paused": false},
      {"name": "night", "paused": true},
      {"name": "default/make-1", "paused": false,
       "limiting": {"code": "frozen", "binding": "frozen"}}]})";
  const ClientReply red{
      200, R"({"draining": false, "full": {"code": "sensor", "binding": "disk"}, )" + queues};
  EXPECT_EQ(read_limiting(red, "/make-1"), "sensor disk") << "a job of another user may be frozen";
  EXPECT_EQ(read_limiting(red, "default"), "sensor disk");
  EXPECT_EQ(read_limiting(red, "night"), "queue_paused night");
  EXPECT_EQ(read_limiting(red, "night/make-2"), "queue_paused night");
  EXPECT_EQ(read_limiting({200, R"({"draining": true, "full": null, )" + queues}, "night"),
            "draining draining");
  EXPECT_EQ(read_limiting({200, R"({"full": null, "queues": 3})"}, "default"), "");
  EXPECT_EQ(read_limiting({200, "no"}, "default"), "");
}

TEST(LaunchAnswer, SaysHowManyJobsTheDaemonRuns) {
  EXPECT_EQ(read_running_jobs({200, R"({"jobs": {"running": 3, "pending": 1}})"}), 3u);
  EXPECT_EQ(read_running_jobs({200, R"({"jobs": {"running": -1}})"}), std::nullopt);
  EXPECT_EQ(read_running_jobs({200, R"({"jobs": 3})"}), std::nullopt);
  EXPECT_EQ(read_running_jobs({200, "no"}), std::nullopt);
  EXPECT_EQ(read_largest_window({200, R"({"window": {"size": 3, "maximum": 200}})"}), Points{200});
  EXPECT_EQ(read_largest_window({200, R"({"window": {"maximum": 0}})"}), std::nullopt);
  EXPECT_EQ(read_largest_window({200, R"({"window": 3})"}), std::nullopt);
}

}  // namespace
}  // namespace sluice
