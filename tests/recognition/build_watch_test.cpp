// Builds by real programs, watched by a process of their own, under a real daemon.
#include "recognition/build_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/process_table.h"
#include "contents.h"
#include "fixture.h"
#include "real_build.h"
#include "shell.h"

namespace sluice::testing {
namespace {

/// A stand-in of a compiler, in use from "+" to "-" in the file `uses`.
const std::string kCompiler =
    "#!/usr/bin/env python3\n"
    "import os, sys, time\n"
    "def note(what):\n"
    "    with open('uses', 'a') as uses: uses.write(what + '\\n')\n"
    "time.sleep(0.1)\n"
    "note('+')\n"
    "time.sleep(float(os.environ.get('TAKES', '0.1')))\n"
    "open(sys.argv[-1], 'w').close()\n"
    "note('-')\n";

class WatchedBuild : public ::testing::TestWithParam<const char*> {
 protected:
  WatchedBuild() : build(folder.path("build")) {
    for (const char* name : {"SLUICE_PERMIT", "SLUICE_JOBSERVER", "MAKEFLAGS"}) unsetenv(name);
    std::filesystem::create_directory(folder.path("daemon"));
    daemon = std::make_unique<ServingProcess>(folder.path("daemon"), kTwoAtOnce);
    add_program("cc1", kCompiler);
  }

  void add_program(const std::string& name, const std::string& text) const {
    write_file(build.path(name), text);
    chmod(build.path(name).c_str(), 0755);
  }
  /// `count` objects, each by one compile.
  void add_makefile(int count) const {
    std::string objects;
    for (int at = 0; at < count; ++at) objects += " o" + std::to_string(at);
    write_file(build.path("Makefile"), "all:" + objects + "\no%:\n\t@./cc1 s$*.c -o $@\n");
  }
  std::vector<std::string> watched(const std::string& line) const {
    return {WATCHED_BUILD, daemon->socket(),
            GetParam(),    "sh",
            "-c",          "cd " + build.path("") + " && " + line};
  }
  Answer run(const std::string& line) const {
    std::string command = "timeout 60";
    for (const std::string& word : watched(line)) command += " '" + word + "'";
    return answer_of(command);
  }
  /// A number of the report at the end.
  static int number(const Answer& answer, const std::string& name) {
    const std::size_t at = answer.text.rfind(name + " ");
    return at == std::string::npos ? -1 : std::stoi(answer.text.substr(at + name.size() + 1));
  }
  bool all_returned() const {
    return eventually([&] { return daemon->states().empty(); });
  }
  /// Processes of the build that stand still.
  std::size_t stopped() const {
    std::size_t count = 0;
    for (const ProcessFacts& each : read_processes()) {
      const std::string command = contents_of("/proc/" + std::to_string(each.pid) + "/cmdline");
      count += each.is_stopped() && command.find("cc1") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  TemporaryFolder folder;
  RealBuild build;
  std::unique_ptr<ServingProcess> daemon;
};

INSTANTIATE_TEST_SUITE_P(Sources, WatchedBuild, ::testing::Values("best", "proc"));

TEST_P(WatchedBuild, OfMakeRunsAsManyCompilersAsFitAndHoldsTheOthers) {
  add_makefile(8);
  const Answer built = run("make -s -j8");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(build.use().all, 8);
  EXPECT_EQ(build.use().most, 2) << built.text;
  EXPECT_EQ(number(built, "runs"), 8) << built.text;
  EXPECT_EQ(number(built, "most_held"), 6) << built.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(WatchedBuild, GoesOnWhenTheDaemonIsKilled) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  CommandRunner making(watched("make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6; }));
  daemon->destroy();
  EXPECT_EQ(WEXITSTATUS(making.wait()), 0) << making.err();
  EXPECT_EQ(build.use().all, 8);
  EXPECT_NE(making.err().find("said: not governed: "), std::string::npos) << making.err();
  EXPECT_EQ(stopped(), 0u);
  unsetenv("TAKES");
}

TEST_P(WatchedBuild, KilledItselfItLeavesNothingStoppedAndNoPermit) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  CommandRunner making(watched("trap '' HUP; make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6 && stopped() >= 6; }));
  kill(making.pid(), SIGKILL);
  making.wait();
  EXPECT_TRUE(eventually([&] { return stopped() == 0; }));
  EXPECT_TRUE(all_returned());
  EXPECT_TRUE(eventually([&] { return build.use().all == 8; })) << "the build goes on";
  unsetenv("TAKES");
}

TEST_P(WatchedBuild, OfARealCompilerLearnsEachSource) {
  // Long enough to be seen in /proc, too.
  build.add_sources({"alpha", "beta"});
  for (const char* name : {"alpha", "beta", "main"}) {
    std::string text = contents_of(build.path(name + std::string(".c")));
    for (int at = 0; at < 6000; ++at) {
      text += "int f" + std::to_string(at) + "_" + name + "(int a) { return a * a + " +
              std::to_string(at) + "; }\n";
    }
    write_file(build.path(name + std::string(".c")), text);
  }
  const Answer built = run("make -s -j8 CC=gcc CFLAGS=-O2");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(run("./prog").status, 0);
  EXPECT_TRUE(all_returned());
  daemon->kill(SIGTERM);
  eventually([&] { return gone(daemon->pid()); });
  const Answer known =
      answer_of(SLUICE_COMMAND " history --json --state-dir " + folder.path("daemon/state"));
  for (const char* key : {"\"cc1:alpha.c:", "\"cc1:beta.c:", "\"cc1:main.c:"}) {
    EXPECT_NE(known.text.find(key), std::string::npos) << key << " in " << known.text;
  }
}

}  // namespace
}  // namespace sluice::testing
