// The demo as a user runs it: the built command, real jobs, real signals.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "shell.h"

namespace {
namespace fs = std::filesystem;

class DemoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sluice-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  /// Starts `sluice demo ARGUMENTS` with its output in out.txt, without load and pressure sensors.
  pid_t start(std::string arguments) {
    const std::string out = (folder_ / "out.txt").string();
    if (arguments.find("--config") == std::string::npos) {
      arguments =
          "--config " +
          write("calm.yaml",
                "sensors: {load: off, cpu_pressure: off, memory_pressure: off, io_pressure: "
                "off}\n") +
          " " + arguments;
    }
    const std::string command = "export TMPDIR=" + folder_.string() + "; exec " + SLUICE_COMMAND +
                                " demo " + arguments + " > " + out + " 2>&1";
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  std::string output() const { return read(folder_ / "out.txt"); }

  /// Folders left behind by demos.
  std::size_t leftovers() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with("sluice-demo-")) ++count;
    }
    return count;
  }

  fs::path folder_;
};

TEST_F(DemoTest, RunsEveryCommandOnceAndSumsUp) {
  std::string commands;
  for (int i = 0; i < 12; ++i) commands += "echo x >> " + (folder_ / "ran").string() + "\n";
  const auto file = write("commands", commands);
  EXPECT_EQ(wait_for(start("--commands " + file)), 0) << output();
  EXPECT_EQ(read(folder_ / "ran").size(), 24u);
  EXPECT_NE(output().find("jobs        12 of 12 ran, 0 failed\n"), std::string::npos) << output();
  EXPECT_EQ(output().find('\x1b'), std::string::npos) << "escape sequences off a terminal";
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(DemoTest, AFailedJobIsNamedWithItsLastWordAndGivesStatusOne) {
  const auto file = write("commands", "echo no such luck >&2; exit 3\ntrue\n");
  EXPECT_EQ(wait_for(start("--commands " + file)), 1);
  EXPECT_NE(output().find("exit status 3: no such luck"), std::string::npos) << output();
  EXPECT_NE(output().find("jobs        2 of 2 ran, 1 failed\n"), std::string::npos) << output();
}

TEST_F(DemoTest, JsonIsOneObjectALineAndTheSummaryLast) {
  const auto file = write("commands", "true\nfalse\n");
  EXPECT_EQ(wait_for(start("--json --commands " + file)), 1);
  std::istringstream lines(output());
  std::string line;
  std::string last;
  int count = 0;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(line.starts_with("{\"event\":") && line.ends_with("}")) << line;
    last = line;
    ++count;
  }
  EXPECT_GE(count, 3);
  EXPECT_TRUE(last.starts_with("{\"event\":\"summary\"")) << last;
}

TEST_F(DemoTest, EndsWithAVerdictForPeopleAndPrograms) {
  const auto file = write("commands", "sleep 0.3\nsleep 0.3\nsleep 0.3\n");
  EXPECT_EQ(wait_for(start("--commands " + file)), 0) << output();
  const std::size_t verdict = output().find("\nVerdict\n  3 commands finished in ");
  ASSERT_NE(verdict, std::string::npos) << output();
  EXPECT_NE(output().find("; none failed.\n", verdict), std::string::npos) << output();
  EXPECT_NE(output().find("    -j1    takes up to ", verdict), std::string::npos) << output();
  EXPECT_NE(output().find("    -j3    needs ", verdict), std::string::npos) << output();
  EXPECT_EQ(wait_for(start("--json --commands " + file)), 0) << output();
  EXPECT_NE(output().find(R"("verdict":{"what":"commands","jobs":3,"finished":3,"failed":0,)"),
            std::string::npos)
      << output();
}

TEST_F(DemoTest, ATimeLimitEndsItAndSaysWhatWasLeft) {
  std::string commands;
  for (int i = 0; i < 4000; ++i) commands += "sleep 0.2\n";
  const auto file = write("commands", commands + "sleep 100\n");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(wait_for(start("--for 4s --commands " + file)), 0) << output();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  EXPECT_NE(output().find(" of 4001 commands finished in "), std::string::npos) << output();
  EXPECT_NE(output().find(", to stay within 4.0 s.\n"), std::string::npos) << output();
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(DemoTest, ATimeLimitEndsAJobThatStillRuns) {
  const auto file = write("commands", "sleep 100\n");
  EXPECT_EQ(wait_for(start("--for 1s --commands " + file)), 0) << output();
  EXPECT_NE(output().find("  0 of 1 command finished in "), std::string::npos) << output();
  EXPECT_NE(output().find("  1 was ended, to stay within 1.0 s.\n"), std::string::npos) << output();
}

TEST_F(DemoTest, ATimeLimitMustBeADuration) {
  EXPECT_EQ(wait_for(start("--for soon")), 2);
  EXPECT_NE(output().find("must be a duration such as 30s or 10min, not \"soon\""),
            std::string::npos)
      << output();
}

TEST_F(DemoTest, AnInterruptEndsTheJobsAndLeavesNothingBehind) {
  // The job opens the pipe when it runs; the pipe closes when the job and its stubborn grandchild
  // have ended.
  const std::string pipe_path = (folder_ / "alive").string();
  ASSERT_EQ(mkfifo(pipe_path.c_str(), 0600), 0);
  const auto file = write("commands", "exec 9> " + pipe_path +
                                          "; echo up >&9; (trap '' TERM; setsid cat /dev/zero "
                                          "> /dev/null) & wait\n");
  const pid_t demo = start("--commands " + file);
  std::ifstream alive(pipe_path);
  std::string word;
  ASSERT_TRUE(alive >> word);
  kill(demo, SIGINT);
  EXPECT_FALSE(alive >> word) << "the pipe was not closed";
  EXPECT_EQ(wait_for(demo), 130) << output();
  EXPECT_NE(output().find("0 of 1 ran, 0 failed, 1 stopped\n"), std::string::npos) << output();
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(DemoTest, EndsWhenNobodyReadsItsOutputAnyMore) {
  const auto file = write("commands", "true\ncat /dev/zero > /dev/null\n");
  const std::string command = "export TMPDIR=" + folder_.string() + "; { " + SLUICE_COMMAND +
                              " demo --commands " + file + "; echo $? > " +
                              (folder_ / "status").string() + "; } | head -n 1 > /dev/null";
  const pid_t shell = fork();
  if (shell == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  wait_for(shell);
  EXPECT_EQ(read(folder_ / "status"), "141\n");
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(DemoTest, SaysTheLastLineOfAHugeLogAndNothingThatATerminalWouldObey) {
  const auto file = write(
      "commands", "head -c 3000000 /dev/zero | tr '\\0' a; printf '\\n\\033[2J\\377end'; false\n");
  EXPECT_EQ(wait_for(start("--json --commands " + file)), 1);
  EXPECT_NE(output().find("exit status 1: ?[2J?end"), std::string::npos) << output();
}

TEST_F(DemoTest, OutsideABuildItRunsJobsOfItsOwnAndSaysSo) {
  fs::create_directories(folder_ / "bin");
  fs::copy_file(SLUICE_COMMAND, folder_ / "bin/sluice");
  const std::string command = (folder_ / "bin/sluice").string() + " demo --jobs 1 --config " +
                              SLUICE_SOURCE "/tests/cli/no_sensors.yaml";
  const sluice::testing::Answer answer = sluice::testing::answer_of(command);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_TRUE(answer.text.starts_with("sluice demo: runs small jobs of its own")) << answer.text;
  EXPECT_NE(answer.text.find("jobs        1 of 1 ran, 0 failed\n"), std::string::npos)
      << answer.text;
  EXPECT_NE(answer.text.find("  1 command finished in "), std::string::npos) << answer.text;
}

TEST_F(DemoTest, WhatCannotBeReadIsSaidInOneLineWithStatusTwo) {
  EXPECT_EQ(wait_for(start("--commands /no/such/file")), 2);
  EXPECT_EQ(output(), "sluice demo: /no/such/file: No such file or directory\n");
  EXPECT_EQ(wait_for(start("--commands " + write("empty", "# nothing\n"))), 2);
  EXPECT_NE(output().find("has no commands"), std::string::npos);
}

}  // namespace
