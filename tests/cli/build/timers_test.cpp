// Programs that end what runs below them by a clock, or judge how long that takes.
#include <sys/stat.h>

#include <string>

#include "build_fixture.h"
#include "installed.h"

namespace sluice::testing {
namespace {

class BelowATimer : public BuildFixture {
 protected:
  BelowATimer() {
    // pytest itself is unknown, and would have the only permit.
    write_one_at_a_time(
        "build: {programs: {pytest: free}, timers: [suite.sh], timed_hold: 100ms}\n");
    // Each ends once both have run for long enough to be held at their start.
    write_file(work("cc1"),
               "#!/usr/bin/env python3\n"
               "import os, sys, time\n"
               "while time.process_time() < 0.4: pass\n"
               "open(sys.argv[1], 'w').close()\n"
               "until = time.monotonic() + 40\n"
               "while time.monotonic() < until and not os.path.exists(sys.argv[2]):\n"
               "    sum(range(200000))\n"
               "    time.sleep(0.02)\n"
               "sys.exit(0 if os.path.exists(sys.argv[2]) else 1)\n");
    chmod(work("cc1").c_str(), 0755);
  }

  /// Of two compiles at once, one waits as long as it may.
  void expect_one_to_go_on(const std::string& command) const {
    const Answer built = build_both(command);
    EXPECT_EQ(count(built.text, "\"clock\":1"), 1u) << built.text;
    EXPECT_EQ(count(built.text, ", 1 ran without a permit"), 1u) << built.text;
  }
  Answer build_both(const std::string& command) const {
    Answer built = build("--alone --config one.yaml --json -- " + command);
    EXPECT_EQ(built.status, 0) << built.text;
    EXPECT_EQ(count(built.text, "was held for build.timed_hold: it continues without a permit"), 1u)
        << built.text;
    return built;
  }
};

TEST_F(BelowATimer, OfTheConfigurationOneGoesOnAndThatIsSaid) {
  write_file(work("suite.sh"), "#!/bin/sh\n./cc1 a b & ./cc1 b a & wait $! || exit 1; wait\n");
  chmod(work("suite.sh").c_str(), 0755);
  expect_one_to_go_on("./suite.sh");
}

TEST_F(BelowATimer, OfCtestOneGoesOnAndThatIsSaid) {
  if (is_missing("ctest")) GTEST_SKIP() << "SKIPPED: ctest is not installed";
  write_file(work("CTestTestfile.cmake"), "add_test(one \"" + work("cc1") + "\" a b)\n" +
                                              "add_test(two \"" + work("cc1") + "\" b a)\n");
  expect_one_to_go_on("ctest -j2");
}

TEST_F(BelowATimer, OfMesonTestOneGoesOnAndThatIsSaid) {
  if (is_missing("meson")) GTEST_SKIP() << "SKIPPED: meson is not installed";
  write_file(work("meson.build"),
             "project('p')\n"
             "compiler = find_program('./cc1')\n"
             "here = meson.current_source_dir()\n"
             "test('one', compiler, args: ['a', 'b'], workdir: here)\n"
             "test('two', compiler, args: ['b', 'a'], workdir: here)\n");
  const Answer configured = answer_of("cd " + work("") + " && meson setup out");
  ASSERT_EQ(configured.status, 0) << configured.text;
  expect_one_to_go_on("meson test -C out --no-rebuild --num-processes 2");
}

TEST_F(BelowATimer, OfPytestOneGoesOnAndThatIsSaid) {
  const std::string python = python_with("pytest");
  if (python.empty()) GTEST_SKIP() << "SKIPPED: pytest is not installed";
  write_file(work("test_both.py"),
             "import subprocess\n"
             "def test_both():\n"
             "    both = [subprocess.Popen(['./cc1', *each]) for each in ('ab', 'ba')]\n"
             "    assert [each.wait() for each in both] == [0, 0]\n");
  expect_one_to_go_on(python + " -m pytest -q -p no:cacheprovider test_both.py");
}

TEST_F(BelowATimer, OfPytestXdistTheProgramsOfAllWorkersGoOnAndThatIsSaid) {
  const std::string python = python_with("pytest, xdist");
  if (python.empty()) GTEST_SKIP() << "SKIPPED: pytest-xdist is not installed";
  write_file(work("test_each.py"),
             "import subprocess\n"
             "def test_one(): subprocess.run(['./cc1', 'a', 'b'], check=True)\n"
             "def test_two(): subprocess.run(['./cc1', 'b', 'a'], check=True)\n");
  // A worker, which nobody has listed, waits as long as it may, too.
  const Answer built = build_both(python + " -m pytest -q -p no:cacheprovider -n2 test_each.py");
  EXPECT_EQ(count(built.text, "\"clock\":0"), 0u) << built.text;
}

}  // namespace
}  // namespace sluice::testing
