#include "base/process_table.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/process_list.h"
#include "few_descriptors.h"

namespace sluice {
namespace {

using FolderIterator = std::filesystem::directory_iterator;

using std::chrono::milliseconds;

constexpr Duration kTick = milliseconds(10);

TEST(ProcessTable, ReadsWhatTheKernelSaysOfAProcess) {
  const auto facts = parse_process(
      "4242 (a ) b (c) S 4200 4241 4199 34816 4242 4194304 700 9000 0 0 12 7 250 31 20 0 1 0 81234 "
      "5001216 640",
      kTick);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->pid, 4242);
  EXPECT_EQ(facts->state, 'S');
  EXPECT_EQ(facts->parent, 4200);
  EXPECT_EQ(facts->group, 4241);
  EXPECT_EQ(facts->session, 4199);
  EXPECT_EQ(facts->started, 81234u);
  EXPECT_EQ(facts->cpu, milliseconds(3000));
  EXPECT_TRUE(facts->has_executed);
}

TEST(ProcessTable, KnowsACopyOfItsParentByTheFlagOfTheKernel) {
  const auto copy = parse_process("5 (a) T 4 5 4 0 -1 4194368 0 0 0 0 1 1 1 1 20 0 1 0 5", kTick);
  ASSERT_TRUE(copy);
  EXPECT_FALSE(copy->has_executed);
}

TEST(ProcessTable, KnowsAThreadOfTheKernelByItsFlag) {
  const auto thread =
      parse_process("5 (a) I 2 0 0 0 -1 69238880 0 0 0 0 1 1 1 1 20 0 1 0 5", kTick);
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->is_kernel_thread);
  EXPECT_FALSE(read_process(getpid())->is_kernel_thread);
}

TEST(ProcessTable, ReadsTheNumberGivenLast) {
  EXPECT_EQ(parse_newest_process("0.10 1.20 0.30 2/345 6789\n"), 6789);
  for (const char* text : {"", "0.00 0.00 0.00 0/0 0\n", "0.10 1.20 0.30 2/345", "a b c d e"}) {
    EXPECT_FALSE(parse_newest_process(text)) << text << ": it counts nothing";
  }
}

TEST(ProcessTable, ReadsTheSignalThatAProcessDiedBy) {
  const auto stat = [](char state, int status) {
    std::string text = std::string("4242 (a) b) ") + state;
    for (int field = 4; field < 52; ++field) text += " " + std::to_string(field);
    return text + " " + std::to_string(status) + "\n";
  };
  EXPECT_EQ(parse_signal_of_death(stat('Z', 9)), 9);
  EXPECT_EQ(parse_signal_of_death(stat('R', 9)), 9) << "it is about to end";
  EXPECT_EQ(parse_signal_of_death(stat('Z', 11 | 0x80)), 11) << "with a core";
  EXPECT_EQ(parse_signal_of_death(stat('Z', 0)), std::nullopt) << "or nobody may know";
  EXPECT_EQ(parse_signal_of_death(stat('S', 0)), std::nullopt) << "it lives";
  EXPECT_EQ(parse_signal_of_death("4242 (a) Z 1 2 3"), std::nullopt);
}

TEST(ProcessTable, TakesNoTextOfAnotherForm) {
  for (const char* text : {"", ")", ") ", "1 (a) ", "1 (a) S", "1 (a) S 1 1 1 0 0 0",
                           "x (a) S 1 1 1 0 0 0 0 0 0 0 1 1 1 1 20 0 1 0 5"}) {
    EXPECT_FALSE(parse_process(text, kTick)) << text;
  }
}

TEST(ProcessTable, KeepsNonsenseWithinWhatAProcessCanHaveUsed) {
  const std::string most = "9223372036854775807";
  const auto much = parse_process(
      "1 (a) S 1 1 1 0 0 0 0 0 0 0 " + most + " " + most + " " + most + " " + most + " 20 0 1 0 5",
      kTick);
  ASSERT_TRUE(much);
  EXPECT_GT(much->cpu, Duration{0});
  const auto less =
      parse_process("1 (a) S 1 1 1 0 0 0 0 0 0 0 -7 0 -9223372036854775808 1 20 0 1 0 5", kTick);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->cpu, kTick);
}

TEST(ProcessTable, ReadsThisProcess) {
  const auto facts = read_process(getpid());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->parent, getppid());
  EXPECT_TRUE(facts->is_alive());
}

/// A child of this process that waits for its end.
class Child {
 public:
  Child() : pid_(fork()) {
    while (pid_ == 0) pause();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void move_to_a_group_of_its_own() const { setpgid(pid_, pid_); }

 private:
  pid_t pid_;
};

std::optional<ProcessFacts> facts_of(pid_t pid, const std::vector<ProcessFacts>& processes) {
  const auto found = std::ranges::find(processes, pid, &ProcessFacts::pid);
  return found == processes.end() ? std::nullopt : std::optional(*found);
}

TEST(ProcessList, ReadsThoseThatAreFollowedEachTimeAndOthersEveryFourSeconds) {
  const Child followed, other;
  ProcessList list;
  const TimePoint now = Clock::now();
  ASSERT_TRUE(facts_of(other.pid(), list.read({followed.pid()}, now)));
  for (const Child* each : {&followed, &other}) each->move_to_a_group_of_its_own();
  const auto soon = list.read({followed.pid()}, now + std::chrono::milliseconds(3999));
  EXPECT_EQ(facts_of(followed.pid(), soon)->group, followed.pid());
  EXPECT_EQ(facts_of(other.pid(), soon)->group, getpgrp()) << "as it was";
  const auto later = list.read({followed.pid()}, now + std::chrono::seconds(4));
  EXPECT_EQ(facts_of(other.pid(), later)->group, other.pid());
}

TEST(ProcessTable, AnOpenProcessEndsWithItAndIsNoOther) {
  std::optional<Child> child(std::in_place);
  const Descriptor stat = open_process_stat(child->pid());
  EXPECT_EQ(read_process(stat)->pid, child->pid());
  child->move_to_a_group_of_its_own();
  EXPECT_EQ(read_process(stat)->group, child->pid()) << "it is read again";
  child.reset();
  EXPECT_FALSE(read_process(stat));
}

TEST(ProcessList, SeesEachProcessThatBeginsWhenItHasBegun) {
  ProcessList list;
  const TimePoint now = Clock::now();
  for (int time = 1; time <= 5; ++time) {
    list.read({}, now);
    const Child child;
    EXPECT_TRUE(facts_of(child.pid(), list.read({}, now))) << time;
  }
}

TEST(ProcessList, ListsNoFollowedProcessThatHasEndedAndOthersForFourSeconds) {
  ProcessList list;
  const TimePoint now = Clock::now();
  std::vector<pid_t> pids;
  {
    const Child followed, other;
    pids = {followed.pid(), other.pid()};
    for (int time = 1; time <= 3; ++time) list.read({followed.pid()}, now);
  }
  EXPECT_FALSE(facts_of(pids[0], list.read({pids[0]}, now)));
  EXPECT_FALSE(facts_of(pids[1], list.read({}, now + std::chrono::seconds(4))));
}

TEST(ProcessList, ListsNoZombieThatIsGoneAndNoNewProcessThatHasEnded) {
  ProcessList list;
  const TimePoint now = Clock::now();
  const Child stays;
  const pid_t ends = fork();
  if (ends == 0) {
    pause();
    _exit(0);
  }
  list.read({ends}, now);
  kill(ends, SIGKILL);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(ends), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(facts_of(ends, list.read({ends}, now))->state, 'Z');
  ASSERT_EQ(waitpid(ends, nullptr, 0), ends);
  EXPECT_FALSE(facts_of(ends, list.read({}, now))) << "its time is its parent's now";
  std::optional<Child> brief(std::in_place);
  const pid_t pid = brief->pid();
  for (int time = 1; time <= 3; ++time) EXPECT_TRUE(facts_of(pid, list.read({}, now)));
  brief.reset();
  EXPECT_FALSE(facts_of(pid, list.read({}, now)));
}

TEST(ProcessList, FollowsMoreProcessesThanItMayKeepOpen) {
  const Child one, two, three;
  const std::vector<pid_t> followed{one.pid(), two.pid(), three.pid()};
  const sluice::testing::FewDescriptors few(64);
  ASSERT_EQ(most_kept_processes(64), 2u);
  ProcessList list;
  const TimePoint now = Clock::now();
  const auto open_files = [] { return std::distance(FolderIterator("/proc/self/fd"), {}); };
  const auto before = open_files();
  for (int time = 1; time <= 3; ++time) list.read(followed, now);
  EXPECT_EQ(open_files(), before + 2);
  for (const Child* each : {&one, &two, &three}) {
    each->move_to_a_group_of_its_own();
    EXPECT_EQ(facts_of(each->pid(), list.read(followed, now))->group, each->pid());
  }
  list.read({three.pid()}, now);
  list.read({}, now);
  EXPECT_EQ(open_files(), before) << "those that nobody follows are closed";
}

TEST(ProcessList, ListsFromTheNewestBeforeTheLastAsLongAsNumbersAscend) {
  const auto below_new = [](auto earlier, auto last, auto now) {
    return NewestProcesses{.now = now, .last = last, .earlier = earlier}.below_new();
  };
  EXPECT_EQ(below_new(80, 90, 100), 80);
  EXPECT_EQ(below_new(90, 90, 90), 90) << "none has begun";
  EXPECT_EQ(below_new(32'760, 5, 9), std::nullopt)
      << "one of before the last listing may be seen only now, with a high number";
  EXPECT_EQ(below_new(5, 9, 12), 5) << "they ascend again";
  EXPECT_EQ(below_new(80, 90, 7), std::nullopt) << "a new one may have any";
  EXPECT_EQ(below_new(std::nullopt, 90, 100), std::nullopt);
  EXPECT_EQ(below_new(80, std::nullopt, 100), std::nullopt);
  EXPECT_EQ(below_new(80, 90, std::nullopt), std::nullopt);
}

TEST(ProcessList, KnowsThatNumbersHaveStartedOver) {
  const auto start_over = [](auto last, auto now) {
    return NewestProcesses{.now = now, .last = last, .earlier = 80}.start_over();
  };
  EXPECT_TRUE(start_over(32'760, 5));
  EXPECT_TRUE(start_over(32'760, 32'759)) << "almost once round";
  EXPECT_FALSE(start_over(5, 9)) << "it has been seen at the last listing";
  EXPECT_FALSE(start_over(90, 90));
  EXPECT_FALSE(start_over(std::nullopt, 5));
  EXPECT_FALSE(start_over(90, std::nullopt));
}

TEST(ProcessList, KeepsFewDescriptorsOfWhatTheProcessMayOpen) {
  EXPECT_EQ(most_kept_processes(0), 0u);
  EXPECT_EQ(most_kept_processes(1024), 32u);
  EXPECT_EQ(most_kept_processes(1'048'576), 256u);
}

}  // namespace
}  // namespace sluice
