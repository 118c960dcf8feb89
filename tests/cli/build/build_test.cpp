// Real builds under `sluice build`.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "build_fixture.h"
#include "command_runner.h"

namespace sluice::testing {
namespace {

/// A window that no other work on this machine closes.
const std::string kAloneAndWide = "--alone --config wide.yaml ";
const char* const kWide =
    "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n";

const char* const kTwoCompilers =
    "resources: {compilers: {total: 2}}\n"
    "queues: {default: {resources: [compilers]}}\n";

class Build : public BuildFixture {
 protected:
  Build() { write_file(work("wide.yaml"), kWide); }

  /// Goals that each say when they begin and end, and take this long.
  void write_makefile(int goals, const std::string& time) const {
    std::string names;
    for (int goal = 0; goal < goals; ++goal) names += " goal" + std::to_string(goal);
    write_file(work("Makefile"), "all:" + names + "\n" + names.substr(1) +
                                     ":\n\t@echo begin >>log; sleep " + time +
                                     "; echo end >>log\n");
  }

  /// A compiler that says after a second, so that it was held before, that it begins, and after
  /// another that it ends. It computes for half of the time, to be seen alive.
  void write_compiler() const {
    write_file(work("cc1"),
               "#!/usr/bin/env python3\n"
               "import time\n"
               "def note(what):\n"
               "    with open('log', 'a') as log: log.write(what + '\\n')\n"
               "def compute_for_a_second():\n"
               "    for _ in range(10):\n"
               "        time.sleep(0.05)\n"
               "        end = time.process_time() + 0.05\n"
               "        while time.process_time() < end: pass\n"
               "compute_for_a_second()\n"
               "note('begin')\n"
               "compute_for_a_second()\n"
               "note('end')\n");
    chmod(work("cc1").c_str(), 0755);
  }

  /// How many goals ran at once, at most.
  int most_at_once() const {
    int now = 0, most = 0;
    std::istringstream lines(contents_of(work("log")));
    for (std::string line; std::getline(lines, line);) {
      now += line == "begin" ? 1 : -1;
      most = std::max(most, now);
    }
    return most;
  }
};

TEST_F(Build, EndsAsItsCommandDoes) {
  EXPECT_EQ(build("-- sh -c 'echo out; echo err >&2; exit 5'").status, 5);
  EXPECT_EQ(build("-- sh -c 'echo out; echo err >&2'").text, "out\nerr\n");
  EXPECT_EQ(build("-- no-such-program").status, 127);
  EXPECT_EQ(build("-- /etc/passwd").status, 126);
  const Answer killed = answer_of(SLUICE_COMMAND " build -- sh -c 'kill -TERM $$'; echo $?");
  EXPECT_NE(killed.text.find("143\n"), std::string::npos) << killed.text;
}

TEST_F(Build, OfMakeRunsSeveralJobsWithoutANumber) {
  write_makefile(10, "0.2");
  EXPECT_EQ(build(kAloneAndWide + "-- make -s").status, 0);
  EXPECT_GT(most_at_once(), 2);
}

TEST_F(Build, HoldsCompilersUntilTheyFit) {
  write_file(work("two.yaml"), std::string(kWide) + kTwoCompilers);
  write_compiler();
  write_file(work("Makefile"), "all: a b c d e f\na b c d e f:\n\t@./cc1 $@.c\n");
  const Answer built = build("--alone --config two.yaml -v -- make -s");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(most_at_once(), 2) << built.text;
  EXPECT_EQ(count(built.text, " jobs, at most "), 1u) << built.text;
  EXPECT_EQ(count(built.text, " at most 0 held at once"), 0u) << built.text;
  EXPECT_EQ(count(built.text, "% for resource compilers"), 1u) << built.text;
  EXPECT_EQ(count(built.text, "the heaviest: cc1 "), 1u) << built.text;
}

TEST_F(Build, TakesAProgramForWhatTheConfigurationSays) {
  write_file(work("gen.sh"), "#!/bin/sh\ntest -e done || touch done\nsleep 0.3\n");
  chmod(work("gen.sh").c_str(), 0755);
  const auto runs = [&](const std::string& configured) {
    write_file(work("known.yaml"), std::string(kWide) + configured);
    const Answer built = build("--alone --config known.yaml -v -- sh -c \"./gen.sh; true\"");
    EXPECT_EQ(built.status, 0) << built.text;
    return built.text;
  };
  EXPECT_EQ(count(runs(""), " 0 jobs, "), 1u) << "shells wait for others";
  EXPECT_EQ(count(runs("build: {programs: {gen.sh: heavy}}\n"), " 1 job, "), 1u);
  EXPECT_EQ(count(runs("build: {programs: {gen.sh: heavy}}\n"), "the heaviest: gen.sh"), 1u);
}

TEST_F(Build, SaysWhatTheNumberThatWasAskedForWouldHaveNeeded) {
  write_one_at_a_time();
  write_file(work("cc1"),
             "#!/usr/bin/env python3\nimport time\nwhile time.process_time() < 0.4: pass\n");
  chmod(work("cc1").c_str(), 0755);
  write_file(work("Makefile"), "all: a b c\na b c:\n\t@./cc1 $@.c\n");
  const Answer built = build("--alone --config one.yaml -v -- make -s -j3");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(count(built.text,
                  "make was asked for 3 at once; at most 1 ran; "
                  "the 3 heaviest together would have needed "),
            1u)
      << built.text;
  EXPECT_EQ(count(built.text, "; with any number it takes at least "), 1u) << built.text;
}

TEST_F(Build, ByTokensAloneHoldsNothing) {
  write_makefile(6, "0.2");
  const Answer built = build(kAloneAndWide + "--tokens -v -- make -s");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(built.text.find("held at once"), std::string::npos) << built.text;
}

TEST_F(Build, RunsAtMostAsManyJobsAsAsked) {
  write_makefile(10, "0.2");
  EXPECT_EQ(build(kAloneAndWide + "--max 2 -- make -s").status, 0);
  EXPECT_EQ(most_at_once(), 2);
}

/// The path to which ./test unpacks it: ninja 1.13, which takes tokens.
const char* const kNinja = SLUICE_SOURCE "/build/tools/ninja/bin/ninja";

TEST_F(Build, OfNinjaRunsAtMostAsManyJobsAsAsked) {
  if (access(kNinja, X_OK) != 0) GTEST_SKIP() << "there is no ninja 1.13";
  std::string jobs = "rule job\n  command = echo begin >>log; sleep 0.2; echo end >>log\n";
  for (int job = 0; job < 10; ++job) jobs += "build " + std::to_string(job) + ": job\n";
  write_file(work("build.ninja"), jobs);
  const Answer built = build(kAloneAndWide + "--max 2 --style fifo -- " + kNinja);
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(built.text.find("takes no tokens"), std::string::npos) << built.text;
  EXPECT_EQ(most_at_once(), 2);
}

TEST_F(Build, OfAnOlderNinjaSaysThatItKeepsItsOwnNumber) {
  const Answer version = answer_of("ninja --version");
  if (version.status != 0 || version.text >= "1.13") GTEST_SKIP() << "needs a ninja before 1.13";
  write_file(work("CMakeLists.txt"), "cmake_minimum_required(VERSION 3.21)\nproject(p NONE)\n");
  ASSERT_EQ(answer_of("cd " + work("") + " && cmake -G Ninja -B out .").status, 0);
  const Answer built = build("-- cmake --build out");
  EXPECT_EQ(built.status, 0);
  EXPECT_EQ(count(built.text, "takes no tokens and uses its own number of jobs"), 1u) << built.text;
}

TEST_F(Build, OfNinjaWhoseRuleCallsMakeSucceeds) {
  if (answer_of("ninja --version").status != 0) GTEST_SKIP() << "needs a ninja";
  write_makefile(1, "0");
  write_file(work("build.ninja"), "rule job\n  command = make\nbuild it: job\n");
  const Answer built = build("-- ninja");
  EXPECT_EQ(built.status, 0) << built.text;
}

TEST_F(Build, OfCmakeAndMakeTakesTokens) {
  write_file(work("CMakeLists.txt"),
             "cmake_minimum_required(VERSION 3.21)\nproject(p NONE)\n"
             "foreach(i RANGE 9)\n  add_custom_target(t${i} ALL COMMAND sh ../job.sh)\n"
             "endforeach()\n");
  write_file(work("job.sh"), "echo begin >>../log; sleep 0.2; echo end >>../log\n");
  ASSERT_EQ(answer_of("cd " + work("") + " && cmake -G 'Unix Makefiles' -B out .").status, 0);
  const Answer built = build(kAloneAndWide + "--max 2 -- cmake --build out");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(most_at_once(), 2) << built.text;
  EXPECT_EQ(count(built.text, "resetting jobserver mode"), 0u) << built.text;
}

TEST_F(Build, WithANumberSomebodyWroteSaysWhatItMeans) {
  write_makefile(1, "0");
  const Answer held = build("-- make -s -j3");
  EXPECT_EQ(count(held.text, "-j3 stays in effect: make starts at most 3 at once"), 1u)
      << held.text;
  EXPECT_EQ(count(held.text, "resetting jobserver mode"), 0u) << held.text;
  const Answer by_tokens = build("--tokens -- make -s -j3");
  EXPECT_EQ(count(by_tokens.text, "-j3 makes make run that many jobs and ignore tokens"), 1u)
      << by_tokens.text;
}

TEST_F(Build, SaysThatFewerFitThanMayBeStarted) {
  const std::string wide = kWide;
  write_file(work("two.yaml"), "window: {law: adaptive, initial: 20, minimum: 20, maximum: 20}\n" +
                                   wide.substr(wide.find("sensors")) + kTwoCompilers);
  // Each runs until the message is there that needs the end of none, and then until the one is
  // there that needs the ends of some, so at most 3 s; in steps, since time passes for a held one,
  // too.
  write_file(work("cc1"),
             "#!/usr/bin/env python3\nimport time\n"
             "for said, steps in ('nothing is known yet', 600), ('of what it runs now fit', 60):\n"
             "    for _ in range(steps):\n"
             "        if said in open('told').read(): break\n"
             "        time.sleep(0.05)\n");
  chmod(work("cc1").c_str(), 0755);
  write_file(work("Makefile"),
             "G := a b c d e f g h i j k l m n o p\nall: $(G)\n$(G):\n\t@./cc1 $@.c\n");
  const Answer built = build("--alone --config two.yaml --json -- make -s -j100 2>told");
  const std::string told = contents_of(work("told"));
  EXPECT_EQ(built.status, 0) << told;
  const std::string said = R"({"event":"number","message":"make may start 100 at once; about )";
  EXPECT_EQ(count(told, said), 2u) << told;
  EXPECT_EQ(count(told, " of what it runs now fit"), 1u) << told;
  EXPECT_EQ(count(told, "): nothing is known yet of what it runs"), 1u) << told;
}

TEST_F(Build, WaitsInAQueueThatIsThereAsLongAsItHasJobs) {
  write_file(work("cc1"), "#!/usr/bin/env python3\nimport time\ntime.sleep(2)\n");
  chmod(work("cc1").c_str(), 0755);
  write_file(work("Makefile"), "all:\n\t@./cc1 one.c -o one.o\n");
  CommandRunner running({SLUICE_COMMAND, "build", "--", "make", "-s", "-C", work("")},
                        folder.path("home"));
  const auto queues = [] { return answer_of(SLUICE_COMMAND " status --json").text; };
  EXPECT_TRUE(eventually([&] { return count(queues(), "\"name\":\"default/make-") == 1; }));
  EXPECT_EQ(running.wait(), 0) << running.err();
  EXPECT_TRUE(eventually([&] { return count(queues(), "default/make-") == 0; })) << queues();
}

TEST_F(Build, GoesOnWhenItsDaemonIsKilled) {
  write_makefile(8, "0.4");
  CommandRunner running({SLUICE_COMMAND, "build", "--", "make", "-s", "-C", work("")},
                        folder.path("home"));
  ASSERT_TRUE(eventually([&] { return count(contents_of(work("log")), "begin") >= 2; }));
  kill(daemon_at(socket()), SIGKILL);
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(count(contents_of(work("log")), "end"), 8u);
  EXPECT_NE(running.err().find("the daemon is gone: the build continues"), std::string::npos);
}

TEST_F(Build, LeavesItsDaemonsBehind) {
  EXPECT_EQ(build("-- sh -c '(sleep 1; echo lives >lived) >/dev/null 2>&1 &'").status, 0);
  EXPECT_TRUE(eventually([&] { return contents_of(work("lived")) == "lives\n"; }));
}

/// In a pid namespace of its own, since only the first is told of processes; "" if there are none.
std::string where_the_kernel_tells_nothing(const std::string& work, const std::string& commands) {
  const std::string inside = "unshare -pf --mount-proc ";
  if (answer_of(inside + "true").status != 0) return "";
  return answer_of("cd " + work + " && " + inside + "sh -c '" + commands + "'").text;
}

TEST_F(Build, WhereTheKernelTellsNothingEndsAsItsCommandWhateverItsOrphansDo) {
  write_file(work("orphans.sh"),
             "(setsid sh -c 'sleep 1; echo left >>seen' >/dev/null 2>&1 &)\n"
             "sleep 0.5\nexit 3\n");
  const std::string built = where_the_kernel_tells_nothing(
      work(""), "timeout 60 " SLUICE_COMMAND " build " + kAloneAndWide +
                    "-- sh orphans.sh; echo ended $?; n=0; "
                    "until grep -q left seen || [ $((n+=1)) -gt 200 ]; do sleep 0.05; done");
  if (built.empty()) GTEST_SKIP() << "SKIPPED: no pid namespaces";
  EXPECT_NE(built.find("ended 3\n"), std::string::npos) << built;
  EXPECT_EQ(contents_of(work("seen")), "left\n") << built;
}

TEST_F(Build, WhereTheKernelTellsNothingAdoptsWhatItsCommandLeavesBehindAtOnce) {
  write_file(work("orphan.sh"),
             "sleep 0.3; cat /proc/$(cut -d' ' -f4 /proc/$$/stat)/comm >>seen\n");
  const std::string built = where_the_kernel_tells_nothing(
      work(""), "timeout 60 " SLUICE_COMMAND " build " + kAloneAndWide +
                    "-- " STATIC_PROGRAM " orphans 8 seen sh orphan.sh; echo ended $?");
  if (built.empty()) GTEST_SKIP() << "SKIPPED: no pid namespaces";
  EXPECT_NE(built.find("ended 0\n"), std::string::npos) << built;
  EXPECT_EQ(count(contents_of(work("seen")), "sluice\n"), 8u) << contents_of(work("seen"));
}

TEST_F(Build, GoesOnWhenItIsKilled) {
  write_makefile(4, "0.3");
  CommandRunner running({SLUICE_COMMAND, "build", "--", "make", "-s", "-C", work("")},
                        folder.path("home"));
  ASSERT_TRUE(eventually([&] { return count(contents_of(work("log")), "begin") >= 1; }));
  kill(running.pid(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return count(contents_of(work("log")), "end") == 4; }));
}

TEST_F(Build, ThatWasKilledLeavesNoTokensOnceItsCommandHasEnded) {
  const auto token_folders = [&] {
    return answer_of("ls -d " + folder.path("run") + "/sluice-jobserver-* 2>/dev/null | wc -l")
        .text;
  };
  write_makefile(2, "1");
  CommandRunner running({SLUICE_COMMAND, "build", "--", "make", "-s", "-C", work("")},
                        folder.path("home"));
  ASSERT_TRUE(eventually([&] { return count(contents_of(work("log")), "begin") >= 1; }));
  kill(running.pid(), SIGKILL);
  running.wait();
  EXPECT_EQ(token_folders(), "1\n");
  ASSERT_TRUE(eventually([&] { return count(contents_of(work("log")), "end") == 2; }));
  EXPECT_TRUE(eventually([&] { return build("-- true").status == 0 && token_folders() == "0\n"; }));
}

TEST_F(Build, StopsAndContinuesWithItsCommand) {
  write_makefile(1, "0.5");
  CommandRunner running({SLUICE_COMMAND, "build", "--", "sh", "-c", "kill -STOP $$; echo went on"},
                        folder.path("home"));
  int status = 0;
  ASSERT_EQ(waitpid(running.pid(), &status, WUNTRACED), running.pid());
  ASSERT_TRUE(WIFSTOPPED(status));
  kill(running.pid(), SIGCONT);
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(running.out(), "went on\n");
}

TEST_F(Build, OnATerminalStopsGoesOnAndEndsWithTwentyHeld) {
  write_file(work("two.yaml"), std::string(kWide) + kTwoCompilers);
  write_compiler();
  write_file(work("Makefile"),
             "names := $(shell seq 40)\nall: $(names)\n$(names):\n\t@./cc1 $@.c\n");
  const Answer pressed =
      answer_of("cd " + work("") +
                " && timeout 250 " SLUICE_SOURCE "/tests/cli/build/on_a_terminal.py 20 \"" +
                SLUICE_COMMAND " build --alone --config two.yaml -- make -s -j30\"");
  EXPECT_EQ(pressed.status, 0) << pressed.text;
}

TEST_F(Build, LikeRunAndJobserverStopsOnATerminalWhileItsCommandStartsAnother) {
  ASSERT_EQ(build("-- true").status, 0);
  for (const char* line : {"build --", "build --tokens --", "run --", "jobserver --"}) {
    const Answer pressed = answer_of("cd " + work("") +
                                     " && timeout 250 " SLUICE_SOURCE
                                     "/tests/cli/build/stop_in_spawn.py \"" SLUICE_COMMAND " " +
                                     line + "\"");
    EXPECT_EQ(pressed.status, 0) << line << pressed.text;
  }
}

TEST_F(Build, EndsAlsoWhereItsCallerIgnoresEndedChildren) {
  for (const char* options : {"", "--tokens ", "--alone "}) {
    const Answer answer =
        answer_of("timeout -s KILL 20 env --ignore-signal=CHLD " SLUICE_COMMAND " build " +
                  std::string(options) + "-- sh -c 'sleep 0.1; exit 3'");
    EXPECT_EQ(answer.status, 3) << options << answer.text;
  }
}

TEST_F(Build, OtherCommandsEndAlsoWhereTheirCallerIgnoresEndedChildren) {
  ASSERT_EQ(build("-- true").status, 0);
  const std::string patient = "timeout -s KILL 20 env --ignore-signal=CHLD " SLUICE_COMMAND " ";
  EXPECT_EQ(answer_of(patient + "run -- sh -c 'sleep 0.1; exit 3'").status, 3);
  EXPECT_EQ(answer_of(patient + "jobserver -- sh -c 'sleep 0.1; exit 3'").status, 3);
  const Answer batch = answer_of("echo 'sleep 0.1; exit 3' | " + patient + "batch");
  EXPECT_EQ(batch.status, 1) << batch.text;
}

TEST_F(Build, ForwardsSignals) {
  CommandRunner running(
      {SLUICE_COMMAND, "build", "--", "sh", "-c", "trap 'exit 9' TERM; echo up; sleep 30 & wait"},
      folder.path("home"));
  ASSERT_TRUE(eventually([&] { return running.out() == "up\n"; }));
  kill(running.pid(), SIGTERM);
  const int status = running.wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << status;
}

TEST_F(Build, ReturnsItsPermits) {
  write_makefile(6, "0.2");
  EXPECT_EQ(build("-- make -s").status, 0);
  const Answer status = answer_of(SLUICE_COMMAND " status --json");
  EXPECT_NE(status.text.find("\"usage\":0"), std::string::npos) << status.text;
}

TEST_F(Build, SpeaksJson) {
  const Answer answer = build("--json -- true");
  EXPECT_EQ(answer.text.find("{\"event\":\"daemon\","), 0u) << answer.text;
}

}  // namespace
}  // namespace sluice::testing
