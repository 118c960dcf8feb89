#include "cli/replay/jobs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sluice::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ScenarioJob job_of(std::string_view line) {
  auto parsed = JobLineParser().parse(line);
  if (auto* problem = std::get_if<std::string>(&parsed)) ADD_FAILURE() << *problem;
  return std::get<ScenarioJob>(std::move(parsed));
}

std::string problem_of_line(std::string_view line) {
  auto parsed = JobLineParser().parse(line);
  const auto* problem = std::get_if<std::string>(&parsed);
  return problem ? *problem : "";
}

void expect_every_field(const ScenarioJob& job) {
  EXPECT_EQ(job.at, milliseconds(1500));
  EXPECT_EQ(job.runs, seconds(300));
  EXPECT_EQ(job.outcome, Outcome::failed);
  EXPECT_EQ(job.after, std::vector<std::string>{"other"});
  const JobRequest& request = job.request;
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.key, "build");
  EXPECT_EQ(request.queue, "nightly");
  EXPECT_EQ(request.priority, 5);
  EXPECT_EQ(request.inventory, 2);
  EXPECT_EQ(request.cost, Points{15});
  EXPECT_EQ(request.nice, 3);
  ASSERT_TRUE(request.locks);
  ASSERT_EQ(request.locks->size(), 2u);
  EXPECT_EQ((*request.locks)[0].exclusive, (std::vector<std::string>{"i1", "i2"}));
  EXPECT_TRUE((*request.locks)[1].unknown_shared);
  EXPECT_EQ(request.resources, (std::vector<ResourceDemand>{{"ports", 1}}));
}

constexpr std::string_view kUsual =
    R"({"at":"1.5s","id":"a","key":"build","queue":"nightly","priority":5,"inventory":2,)"
    R"("runs":"300s","outcome":"failed","locks":{"instance":"exclusive:i1,i2",)"
    R"("node":"unknown-shared"},"resources":{"ports":1},"after":["other"],"cost":15,"nice":3)";

TEST(ReplayJobs, ALineIsAJob) { expect_every_field(job_of(std::string(kUsual) + "}")); }

TEST(ReplayJobs, WhatTakesTheLongWayIsReadTheSame) {
  const ScenarioJob job =
      job_of(std::string(kUsual) + R"(,"memory":"512MiB","on_failure":"hold","params":{"p":"x y"},)"
                                   R"("reasons":["rate-limit:2:lint"],"global_lock":true})");
  expect_every_field(job);
  EXPECT_EQ(job.request.memory, Bytes{std::uint64_t{512} << 20});
  EXPECT_EQ(job.request.on_failure, OnFailure::hold);
  EXPECT_EQ(job.request.reasons, std::vector<std::string>{"rate-limit:2:lint"});
  EXPECT_EQ(job.request.params.at("p"), "x y");
  EXPECT_TRUE(job.request.global_lock);
}

TEST(ReplayJobs, AKeyMayBeAsLongAsInASubmit) {
  const auto with_key = [](std::size_t bytes) {
    return R"({"id":"a","runs":"1s","key":")" + std::string(bytes, 'k') + "\"}";
  };
  EXPECT_EQ(job_of(with_key(kMostKeyBytes)).request.key.size(), kMostKeyBytes);
  const std::string problem = problem_of_line(with_key(kMostKeyBytes + 1));
  EXPECT_NE(problem.find("key must have at most 256 bytes"), std::string::npos) << problem;
}

TEST(ReplayJobs, WhatIsWrongIsSaidWithItsField) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON"},
      {"{\"id\":\"a\"", "not a JSON"},
      {"[1]", "object"},
      {R"({"runs":"1s"})", "needs `id`"},
      {R"({"id":"a"})", "needs `runs`"},
      {R"({"id":"a","runs":"-1s"})", "runs "},
      {R"({"id":"a","runs":5})", "runs "},
      {R"({"id":"a","runs":"1s","rnus":"1s"})", "rnus"},
      {R"({"id":"a","runs":"1s","cost":0})", "cost "},
      {R"({"id":"a","runs":"1s","cost":1.5})", "cost "},
      {R"({"id":"a","runs":"1s","outcome":"fine"})", "outcome "},
      {R"({"id":"a","runs":"1s","locks":{"node":"exclusiv:n"}})", "locks.node "},
      {R"({"id":"a","runs":"1s","resources":{"db":-1}})", "resources.db "},
      {R"({"id":"a","runs":"1s","after":"b"})", "after "},
  };
  for (const auto& [line, part] : cases) {
    EXPECT_NE(problem_of_line(line).find(part), std::string::npos) << line << "\n"
                                                                   << problem_of_line(line);
  }
}

class JobsFileTest : public ::testing::Test {
 protected:
  ~JobsFileTest() override { std::filesystem::remove(path_); }

  JobSource source(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return std::get<JobSource>(jobs_from_file(path_));
  }
  std::string error(const std::string& text) {
    const JobSource jobs = source(text);
    while (true) {
      auto next = jobs();
      if (const auto* problem = std::get_if<ConfigError>(&next)) {
        return std::to_string(problem->line) + ": " + problem->message;
      }
      if (std::holds_alternative<std::monostate>(next)) return "";
    }
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("sluice-jobs-" + std::to_string(getpid())))
          .string();
};

TEST_F(JobsFileTest, JobsComeOneByOneWithTheirLines) {
  const JobSource jobs = source(
      "{\"id\":\"a\",\"runs\":\"1s\"}\n\n  \r\n{\"at\":\"2s\",\"id\":\"b\",\"runs\":\"1s\"}");
  const auto first = std::get<ScenarioJob>(jobs());
  EXPECT_EQ(first.request.id, "a");
  EXPECT_EQ(first.line, 1);
  const auto second = std::get<ScenarioJob>(jobs());
  EXPECT_EQ(second.request.id, "b");
  EXPECT_EQ(second.line, 4);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(jobs()));
}

TEST_F(JobsFileTest, LinesMayLieAcrossTheBuffer) {
  std::string text;
  for (int i = 0; i < 30000; ++i) {
    text += R"({"id":"job)" + std::to_string(i) + R"(","runs":"1s","key":")" +
            std::string(static_cast<std::size_t>(i % 90 + 1), 'k') + "\"}\n";
  }
  ASSERT_GT(text.size(), 2 * kMostJobLineBytes);
  const JobSource jobs = source(text);
  for (int i = 0; i < 30000; ++i) {
    auto next = jobs();
    ASSERT_TRUE(std::holds_alternative<ScenarioJob>(next)) << i;
    ASSERT_EQ(std::get<ScenarioJob>(next).request.id, "job" + std::to_string(i));
  }
  EXPECT_TRUE(std::holds_alternative<std::monostate>(jobs()));
}

TEST_F(JobsFileTest, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_TRUE(error("{\"id\":\"a\",\"runs\":\"1s\"}\n{}\n").starts_with("2: ")) << error("{}");
  const std::string order = error(
      "{\"at\":\"9s\",\"id\":\"a\",\"runs\":\"1s\"}\n{\"at\":\"8s\",\"id\":\"b\",\"runs\":\"1s\"}"
      "\n");
  EXPECT_TRUE(order.starts_with("2: at: 8s is before the 9s of the line above")) << order;
  const std::string length = error(std::string(kMostJobLineBytes + 1, ' '));
  EXPECT_TRUE(length.starts_with("1: the line is longer than")) << length;
  EXPECT_EQ(error(std::string(kMostJobLineBytes - 1, ' ') + "\n"), "");
}

TEST(ReplayJobs, AFileThatIsNotThereIsSaidSo) {
  const auto missing = jobs_from_file("/nowhere/jobs.jsonl");
  EXPECT_EQ(to_string(std::get<ConfigError>(missing)),
            "/nowhere/jobs.jsonl: No such file or directory");
}

TEST(ReplayJobs, AFolderIsSaidToBeOne) {
  const JobSource jobs = std::get<JobSource>(jobs_from_file("/"));
  EXPECT_EQ(std::get<ConfigError>(jobs()).message, "Is a directory");
}

}  // namespace
}  // namespace sluice::cli
