// Real processes, followed by the kernel's events and by /proc alone.
#include "recognition/process_follower.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/process_table.h"
#include "command_runner.h"
#include "few_descriptors.h"
#include "fixture.h"
#include "recognition/process_facts.h"

namespace sluice::testing {
namespace {

using What = ProcessEvent::What;

class Follower : public ::testing::TestWithParam<ProcessSource> {
 protected:
  void follow(const std::string& script) {
    runner = std::make_unique<CommandRunner>(std::vector<std::string>{"/bin/sh", "-c", script},
                                             folder.path(""));
    follower = std::make_unique<ProcessFollower>(runner->pid(), GetParam());
  }
  void take() {
    pollfd ready{follower->descriptor(), POLLIN, 0};
    poll(&ready, 1, 5);
    for (const ProcessEvent& event : follower->poll(Clock::now())) {
      events.push_back(event);
      if (event.what == What::became) programs.emplace(program(event.process), event.process);
    }
  }
  static std::string program(pid_t process) {
    const auto command = read_command(process);
    return command.empty() ? "" : command[0];
  }
  std::size_t processes_of(const std::string& name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(programs, [&](const auto& each) { return each.first == name; }));
  }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      take();
      return condition();
    });
  }
  std::size_t count(What what) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(events, [&](const auto& each) { return each.what == what; }));
  }

  std::function<bool(const ProcessEvent&)> is_end_of_root = [this](const ProcessEvent& each) {
    return each.process == runner->pid() && each.what == What::ended;
  };

  TemporaryFolder folder;
  std::unique_ptr<CommandRunner> runner;
  std::unique_ptr<ProcessFollower> follower;
  std::vector<ProcessEvent> events;
  /// Each with the processes that became it. A source may report a program twice if it starts while
  /// its process is first read.
  std::set<std::pair<std::string, pid_t>> programs;
};

INSTANTIATE_TEST_SUITE_P(Sources, Follower,
                         ::testing::Values(ProcessSource::best, ProcessSource::proc));

TEST_P(Follower, SeesWhatBeginsBecomesAnotherProgramAndEnds) {
  follow("sleep 0.4; (exec sleep 0.5) & wait");
  EXPECT_TRUE(until([&] { return count(What::ended) >= 3; }));
  EXPECT_EQ(count(What::appeared), 2u);
  EXPECT_EQ(processes_of("sleep"), 2u);
}

TEST_P(Follower, FindsWhatRanBeforeIt) {
  runner = std::make_unique<CommandRunner>(
      std::vector<std::string>{"/bin/sh", "-c", "(sleep 30; true) & wait"}, folder.path(""));
  // Its child's child runs.
  std::vector<pid_t> children;
  ASSERT_TRUE(eventually([&] {
    for (const ProcessFacts& each : read_processes()) {
      if (program(each.pid) != "sleep") continue;
      const auto above = ancestors_of(each.pid);
      if (std::ranges::find(above, runner->pid()) != above.end()) return true;
    }
    return false;
  }));
  follower = std::make_unique<ProcessFollower>(runner->pid(), GetParam());
  EXPECT_TRUE(until([&] { return processes_of("sleep") > 0; }));
  for (const ProcessEvent& each : events) {
    if (each.what == What::appeared) kill(each.process, SIGKILL);
  }
}

TEST_P(Follower, LosesNoneOfMoreProcessesThanItMayHaveDescriptors) {
  const FewDescriptors few(48);
  follow("for each in $(seq 60); do sleep 60 & done; wait");
  EXPECT_TRUE(until([&] { return processes_of("sleep") >= 60; }));
  for (int second = 1; second <= 3; ++second) {
    for (const ProcessEvent& each : follower->poll(Clock::now() + std::chrono::seconds(second))) {
      const bool is_end = each.what == What::ended;
      EXPECT_FALSE(is_end && programs.contains({"sleep", each.process})) << each.process;
    }
  }
  for (const auto& [name, process] : programs) {
    if (name == "sleep") kill(process, SIGKILL);
  }
  EXPECT_TRUE(until([&] { return std::ranges::any_of(events, is_end_of_root); }));
}

TEST_P(Follower, TakesNoProgramForAnotherThatWritesOverItsCommandLine) {
  follow("exec " STATIC_PROGRAM " retitle " + folder.path("go") + " " + folder.path("done"));
  ASSERT_TRUE(until([&] { return processes_of(STATIC_PROGRAM) > 0; }));
  take();
  events.clear();
  write_file(folder.path("go"), "");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder.path("done")); }));
  EXPECT_EQ(program(runner->pid()), std::string(std::strlen(STATIC_PROGRAM), 'x'));
  for (int second = 1; second <= 3; ++second) {
    const auto seen = follower->poll(Clock::now() + std::chrono::seconds(second));
    EXPECT_TRUE(seen.empty()) << second;
  }
}

TEST_P(Follower, KeepsAnOrphan) {
  follow("(sleep 0.3; (sleep 0.6; exec sleep 0.3) & sleep 0.3) & sleep 0.3; wait");
  // The inner shell becomes `sleep 0.3` after its parent has gone.
  EXPECT_TRUE(until([&] { return processes_of("sleep") >= 5; }));
}

TEST_P(Follower, FindsAnOrphanWhoseParentItNeverSawAndReapsIt) {
  follow("until [ -e " + folder.path("go") +
         " ]; do sleep 0.02; done; " STATIC_PROGRAM " detach " STATIC_PROGRAM
         " compute 60000 never; touch " +
         folder.path("gone") + "; sleep 30");
  take();
  write_file(folder.path("go"), "");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder.path("gone")); }));
  ASSERT_TRUE(until([&] { return processes_of(STATIC_PROGRAM) > 0; }));
  const auto orphan =
      std::ranges::find_if(programs, [](const auto& each) { return each.first == STATIC_PROGRAM; });
  kill(orphan->second, SIGKILL);
  const ProcessEvent end{What::ended, orphan->second, 0, SIGKILL};
  EXPECT_TRUE(until([&] { return std::ranges::find(events, end) != events.end(); }));
  EXPECT_TRUE(eventually([&] { return !read_process(orphan->second); }));
}

TEST_P(Follower, AProcessGoesOnWhereAnotherThreadExecutesAProgram) {
  follow("sleep 0.3; exec " THREADS_PROGRAM " exec 100000 sh -c \"/bin/sleep 0.4; exit 3\"");
  EXPECT_TRUE(until([&] { return processes_of("/bin/sleep") > 0; }));
  EXPECT_FALSE(std::ranges::any_of(events, is_end_of_root));
  EXPECT_TRUE(until([&] { return std::ranges::any_of(events, is_end_of_root); }));
}

TEST_P(Follower, AProcessGoesOnWithoutItsFirstThread) {
  follow("sleep 0.3; exec " THREADS_PROGRAM " outlive 900");
  ASSERT_TRUE(until([&] { return processes_of(THREADS_PROGRAM) > 0; }));
  const TimePoint began = Clock::now();
  EXPECT_TRUE(until([&] { return std::ranges::any_of(events, is_end_of_root); }));
  EXPECT_GT(Clock::now() - began, std::chrono::milliseconds(600));
}

TEST_P(Follower, SaysNothingOfOthersAndDoesNotWaitForThem) {
  CommandRunner stranger({"/bin/sh", "-c", "sleep 0.2; exit 3"}, folder.path(""));
  follow("sleep 0.5; true");
  const pid_t pid = stranger.pid();
  EXPECT_TRUE(until([&] { return std::ranges::any_of(events, is_end_of_root); }));
  EXPECT_EQ(WEXITSTATUS(stranger.wait()), 3);
  EXPECT_EQ(WEXITSTATUS(runner->wait()), 0);
  const auto is_strange = [&](const ProcessEvent& each) { return each.process == pid; };
  EXPECT_TRUE(std::ranges::none_of(events, is_strange));
  EXPECT_EQ(count(What::appeared), 1u);
}

TEST(FollowerOfKernelEvents, KnowsHowAProcessEnded) {
  TemporaryFolder folder;
  CommandRunner runner({"/bin/sh", "-c", "sleep 0.2; sh -c 'exit 3'; sh -c 'kill -9 $$'; true"},
                       folder.path(""));
  ProcessFollower follower(runner.pid(), ProcessSource::best);
  if (!follower.has_events_of_kernel()) GTEST_SKIP() << "SKIPPED: no events of the kernel";
  std::vector<int> statuses;
  EXPECT_TRUE(eventually([&] {
    for (const ProcessEvent& event : follower.poll(Clock::now())) {
      if (event.what == What::ended) statuses.push_back(event.status.value_or(-1));
    }
    return statuses.size() >= 4;
  }));
  EXPECT_EQ(statuses, (std::vector<int>{0, 3 << 8, 9, 0}));
}

}  // namespace
}  // namespace sluice::testing
