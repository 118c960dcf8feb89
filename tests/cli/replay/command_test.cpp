#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "contents.h"
#include "shell.h"

namespace {
using sluice::testing::Answer;
using sluice::testing::answer_of;
using sluice::testing::contents_of;
namespace fs = std::filesystem;

class ReplayCommand : public ::testing::Test {
 protected:
  ReplayCommand() { fs::create_directories(folder_); }
  ~ReplayCommand() override { fs::remove_all(folder_); }

  Answer call(const std::string& arguments) const {
    return answer_of("cd " + folder_.string() + " && " SLUICE_COMMAND " replay " + arguments);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return contents_of(folder_ / name); }

  const fs::path folder_ =
      fs::temp_directory_path() / ("sluice-replay-test-" + std::to_string(getpid()));
  const std::string mail_ = SLUICE_SOURCE "/examples/scenarios/zuul-mail";
};

TEST_F(ReplayCommand, PrintsJsonLinesIntoAnythingButATerminal) {
  const Answer answer = call(mail_ + ".yaml");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.text, contents_of(mail_ + ".expected.jsonl"));
  EXPECT_EQ(call(mail_ + ".yaml --json -o out.jsonl").text, "");
  EXPECT_EQ(read("out.jsonl"), answer.text);
}

TEST_F(ReplayCommand, JobsMayStandInAFileBesideTheScenario) {
  write("s.yaml", "jobs: {file: jobs.jsonl}\n");
  write("jobs.jsonl",
        "{\"id\":\"a\",\"runs\":\"60s\"}\n{\"at\":\"10s\",\"id\":\"b\",\"runs\":\"1s\"}\n");
  const Answer answer = call("s.yaml");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_NE(answer.text.find("{\"t\":60.0,\"event\":\"finished\",\"job\":\"a\""), std::string::npos)
      << answer.text;
}

TEST_F(ReplayCommand, ABadScenarioIsToldWithItsPlaceAndStatusTwo) {
  write("s.yaml", "jobs:\n  - {id: a, runs: 1s, queue: nightly}\n");
  const Answer answer = call("s.yaml");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(answer.text.starts_with("sluice replay: s.yaml:2:")) << answer.text;
  write("t.yaml", "jobs: {file: jobs.jsonl}\n");
  const Answer missing = call("t.yaml");
  EXPECT_EQ(missing.status, 2);
  EXPECT_TRUE(missing.text.starts_with("sluice replay: t.yaml:1:")) << missing.text;
  write("jobs.jsonl",
        "{\"id\":\"a\",\"runs\":\"1s\"}\n{\"id\":\"b\",\"runs\":\"1s\",\"queue\":\"x\"}\n");
  const Answer line = call("t.yaml");
  EXPECT_EQ(line.status, 2);
  EXPECT_NE(line.text.find("jobs.jsonl:2: job `b`: queue: there is no queue `x`"),
            std::string::npos)
      << line.text;
  EXPECT_EQ(call("none.yaml").status, 2);
}

TEST_F(ReplayCommand, JobsLeftWaitingAreNoError) {
  write("s.yaml", "until: 1min\nevents: [{at: 0s, do: pause}]\njobs: [{id: a, runs: 1s}]\n");
  const Answer answer = call("s.yaml --summary");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_NE(answer.text.find("1 still waiting"), std::string::npos) << answer.text;
  EXPECT_NE(answer.text.find("paused"), std::string::npos) << answer.text;
}

TEST_F(ReplayCommand, WritesACsvAndPictures) {
  const Answer answer = call(mail_ + ".yaml --summary --csv c.csv --plot p.png");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_TRUE(
      read("c.csv").starts_with("t,window,usage,running,pending,load\n"
                                "0.0,20,20,2,4,0.2\n30.0,30,30,3,3,0.2\n"))
      << read("c.csv");
  EXPECT_TRUE(read("p.png").starts_with("\x89PNG"));
  EXPECT_EQ(call(mail_ + ".yaml --summary --plot p.svg").status, 0);
  EXPECT_NE(read("p.svg").find("<svg"), std::string::npos);
  EXPECT_EQ(call(mail_ + ".yaml --plot p.pdf").status, 2);
}

TEST_F(ReplayCommand, SaysHowToGetGnuplot) {
  const Answer answer =
      answer_of("cd " + folder_.string() + " && PATH=/nowhere " SLUICE_COMMAND " replay " + mail_ +
                ".yaml -o out --plot q.png");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("apt-get install gnuplot-nox"), std::string::npos) << answer.text;
}

TEST_F(ReplayCommand, PlaysTheAutoscaler) {
  write("a.yaml",
        "autoscale: {rules: starcluster, max: 5, started: -1h}\n"
        "observations:\n"
        "  - at: 0s\n"
        "    executors: [{id: node001, slots: 8, used: 8}, {id: node002, slots: 8, up: 50min}]\n"
        "    queued: [{waited: 901s}]\n"
        "  - {at: 90.5s, executors: [{id: node001, slots: 8}, {id: node002, up: 50min}]}\n");
  const Answer answer = call("--autoscale a.yaml");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.text,
            "{\"t\":0.0,\"event\":\"scale\",\"add\":0,\"remove\":[],\"reason\":\"fits\"}\n"
            "{\"t\":90.5,\"event\":\"scale\",\"add\":0,\"remove\":[\"node002\"],"
            "\"reason\":\"idle\"}\n");
  EXPECT_EQ(call("--autoscale a.yaml --json -o out.jsonl").text, "");
  EXPECT_EQ(read("out.jsonl"), answer.text);
  EXPECT_EQ(call("--autoscale a.yaml --plot p.png").status, 2);
  EXPECT_EQ(call("a.yaml").status, 2) << "a scenario of the other sort";
}

TEST_F(ReplayCommand, ABadFleetIsToldWithItsPlaceAndStatusTwo) {
  write("a.yaml", "autoscale: {max: 5}\nobservations:\n  - executors: [{id: a, slot: 8}]\n");
  const Answer answer = call("--autoscale a.yaml");
  EXPECT_EQ(answer.status, 2);
  EXPECT_EQ(answer.text,
            "sluice replay: a.yaml:3:25: observations[0].executors[0]: unknown key `slot`; did you "
            "mean `slots`?\n");
}

}  // namespace
