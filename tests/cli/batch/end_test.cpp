// However `sluice batch` ends, it leaves nothing behind.
#include <signal.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "batch_helpers.h"

namespace sluice::cli {
namespace {

class BatchEndTest : public BatchCalled {
 protected:
  std::vector<std::string> pids() const {
    std::istringstream text(read("pids"));
    std::vector<std::string> pids;
    for (std::string pid; std::getline(text, pid);) pids.push_back(pid);
    return pids;
  }
  /// Starts it and waits until its jobs have written this many pids to `pids`.
  pid_t begin_and_wait(const std::string& arguments, const std::string& input, std::size_t many) {
    const pid_t batch = begin(arguments, input);
    EXPECT_TRUE(in_time([&] { return pids().size() >= many; })) << read("err");
    return batch;
  }
  static int end_of(pid_t batch) {
    int status = 0;
    waitpid(batch, &status, 0);
    return status;
  }
  bool all_gone() const {
    const auto all = pids();
    return in_time([&] { return std::all_of(all.begin(), all.end(), is_gone); });
  }
};

/// Two jobs that never end: one with a child of its own, and one that ignores SIGTERM and SIGINT.
const char* const kEndless =
    "sleep 1000 & echo $! >>pids; echo $$ >obedient; echo $$ >>pids; wait\n"
    "trap '' TERM INT; echo $$ >>pids; while :; do sleep 0.01; done\n"
    "touch ran\n";

TEST_F(BatchEndTest, CtrlCTwiceEndsEvenWhatWillNotBeAsked) {
  const pid_t batch = begin_and_wait("-j2 --joblog log", kEndless, 3);
  kill(batch, SIGINT);
  std::string obedient = read("obedient");
  obedient.pop_back();
  ASSERT_TRUE(in_time([&] { return is_gone(obedient); }));
  kill(batch, SIGINT);
  EXPECT_EQ(WEXITSTATUS(end_of(batch)), 130);
  EXPECT_TRUE(all_gone());
  EXPECT_FALSE(exists("ran"));
  EXPECT_EQ(read("log").find("touch"), std::string::npos);
}

TEST_F(BatchEndTest, SigtermEndsItWithItsOwnStatus) {
  const pid_t batch = begin_and_wait("", "echo $$ >>pids; exec sleep 1000\n", 1);
  kill(batch, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(end_of(batch)), 143);
  EXPECT_TRUE(all_gone());
  EXPECT_NE(read("err").find("1 stopped"), std::string::npos) << read("err");
}

TEST_F(BatchEndTest, KilledItLeavesNothingRunningOrStopped) {
  const std::string stopped = "echo $$ >>pids; kill -STOP $$\n";
  for (const char* cgroups : {"auto", "off"}) {
    write("pids", "");
    const pid_t batch =
        begin_and_wait(std::string("-j3 --cgroups ") + cgroups, stopped + kEndless, 4);
    kill(batch, SIGKILL);
    end_of(batch);
    EXPECT_TRUE(all_gone()) << cgroups;
  }
}

TEST_F(BatchEndTest, WhatWasDoneBeforeAKillIsInTheJoblog) {
  const std::string jobs = "echo a\necho $$ >>pids; [ -e again ] || exec sleep 1000\n";
  const pid_t batch = begin_and_wait("-j1 --order arrival --joblog log", jobs, 1);
  kill(batch, SIGKILL);
  end_of(batch);
  ASSERT_TRUE(all_gone());
  write("again", "");
  const Answer answer = this->batch("-j1 --joblog log --resume", jobs);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.err.find("1 skipped"), std::string::npos) << answer.err;
}

TEST_F(BatchEndTest, AReaderThatGoesAwayEndsTheBatch) {
  write("in", "");
  const std::string jobs =
      " batch --config sluice.yaml --state-dir state 'echo {}; exec sleep "
      "1000' ::: 1 2 3";
  const int status = system(("cd " + folder_ + " && { " SLUICE_COMMAND + jobs +
                             " --halt never -u 2>err; echo $? >status; } | true")
                                .c_str());
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(in_time([&] { return !read("status").empty(); }));
}

TEST_F(BatchEndTest, AFullDiskIsSaidAndIsNoSuccess) {
  const std::string jobs = " batch --config sluice.yaml --state-dir state 'echo {}' ::: 1";
  const int status =
      system(("cd " + folder_ + " && " SLUICE_COMMAND + jobs + " >/dev/full 2>err").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NE(read("err").find("cannot write to standard output: No space left on device"),
            std::string::npos)
      << read("err");
}

TEST_F(BatchEndTest, EndsWithoutStandardStreamsToo) {
  const std::string jobs = " batch --config sluice.yaml --state-dir state 'echo {} >ran' ::: 1";
  const int status =
      system(("cd " + folder_ + " && exec " SLUICE_COMMAND + jobs + " <&- >&- 2>&-").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(exists("ran"));
}

TEST_F(BatchEndTest, LeavesAloneWhatItsProcessHadStartedBefore) {
  const std::string jobs =
      " batch --config sluice.yaml --state-dir state --cgroups off 'true {}' ::: 1";
  const int status = system(("cd " + folder_ + " && setsid sleep 1000 & cd " + folder_ +
                             " && echo $! >pid; exec " SLUICE_COMMAND + jobs + " >out 2>err")
                                .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::string pid = read("pid");
  pid.pop_back();
  EXPECT_FALSE(is_gone(pid));
  kill(std::stoi(pid), SIGKILL);
}

TEST_F(BatchEndTest, AJobThatTakesMoreThanItSaidIsKilledWhereThatIsAskedFor) {
  write("sluice.yaml", read("sluice.yaml") + "memory: {enforce: max}\n");
  const std::string job =
      R"({"command": "head -c 200M /dev/zero | tail -c 150M >/dev/null", "memory": "64MiB"})";
  const Answer answer = batch("--json --joblog log", job + "\n");
  const std::size_t means = answer.out.find("\"means\":\"cgroup");
  const bool held =
      means != std::string::npos && answer.out.find("memory", means) != std::string::npos;
  if (!held) GTEST_SKIP() << "no memory cgroup can be made here";
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(read("log").find("\toom\t"), std::string::npos) << read("log") << answer.out;
}

TEST_F(BatchEndTest, AJobThatCannotBeLimitedIsRefusedWithTheReasonAlsoWhereItIsQuiet) {
  write("sluice.yaml", read("sluice.yaml") + "memory: {enforce: max}\n");
  const std::string job = R"({"command": "touch ran", "memory": "64MiB"})";
  const Answer answer = batch("-q --cgroups off", job + "\n" + job + "\n");
  EXPECT_EQ(answer.status, 2) << "as many as failed";
  EXPECT_FALSE(exists("ran"));
  const std::string reason = "not started: its memory cannot be limited (memory.enforce: max)";
  EXPECT_NE(answer.err.find(reason), std::string::npos) << answer.err;
  EXPECT_EQ(answer.err.find(reason), answer.err.rfind(reason)) << "once: " << answer.err;
}

}  // namespace
}  // namespace sluice::cli
