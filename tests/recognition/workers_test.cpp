// Real runners of tests, each of which starts several compiles at once by workers of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstddef>
#include <string>
#include <variant>

#include "client/client.h"
#include "command_runner.h"
#include "installed.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

const char* const kRoomForAll =
    "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n";

class WorkersOfARunner : public WatchedBuild {
 protected:
  WorkersOfARunner() : WatchedBuild(kRoomForAll) {
    add_program("cc1",
                "#!/usr/bin/env python3\n"
                "import os, time\n"
                "until = time.monotonic() + 50\n"
                "while not os.path.exists('go') and time.monotonic() < until: time.sleep(0.02)\n");
  }

  /// That have a permit of their own, or have asked for one.
  std::size_t compiles() const {
    auto client = Client::connect(daemon->socket());
    if (!std::holds_alternative<Client>(client)) return 0;
    const auto jobs = std::get<Client>(client).call("GET", "/v1/jobs");
    const auto* reply = std::get_if<ClientReply>(&jobs);
    if (!reply) return 0;
    const std::string key = "\"key\":\"cc1:";
    std::size_t found = 0;
    for (std::size_t at = reply->body.find(key); at != std::string::npos;
         at = reply->body.find(key, at + 1)) {
      ++found;
    }
    return found;
  }

  /// The compiles end once each has a permit.
  void expect_a_permit_for_each(std::size_t number_of_compiles, const std::string& command) const {
    CommandRunner running(watched(command), folder.path(""));
    EXPECT_TRUE(eventually([&] {
      return compiles() == number_of_compiles && daemon->count("pending") == 0;
    })) << compiles();
    write_file(build.path("go"), "");
    EXPECT_EQ(WEXITSTATUS(running.wait()), 0) << running.out() << running.err();
    EXPECT_EQ(number({0, running.err()}, "most_held"), 0) << running.err();
    EXPECT_TRUE(all_returned());
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, WorkersOfARunner, ::testing::Values("best", "proc"));

TEST_P(WorkersOfARunner, OfCtestHaveAPermitForEachCompile) {
  if (is_missing("ctest")) GTEST_SKIP() << "SKIPPED: ctest is not installed";
  std::string tests;
  for (const char name : std::string("abcdefgh")) {
    tests += std::string("add_test(") + name + " \"" + build.path("cc1") + "\" " + name + ")\n";
  }
  write_file(build.path("CTestTestfile.cmake"), tests);
  expect_a_permit_for_each(8, "ctest -j8");
}

TEST_P(WorkersOfARunner, OfPytestXdistHaveAPermitForEachCompile) {
  const std::string python = python_with("pytest, xdist");
  if (python.empty()) GTEST_SKIP() << "SKIPPED: pytest-xdist is not installed";
  write_file(build.path("test_all.py"),
             "import subprocess\n"
             "import pytest\n"
             "@pytest.mark.parametrize('name', 'abcd')\n"
             "def test_each(name): subprocess.run(['./cc1', name], check=True)\n");
  expect_a_permit_for_each(4, python + " -m pytest -q -p no:cacheprovider -n4 test_all.py");
}

TEST_P(WorkersOfARunner, OfNpmTestHaveAPermitForEachCompile) {
  if (is_missing("npm")) GTEST_SKIP() << "SKIPPED: npm is not installed";
  write_file(
      build.path("package.json"),
      "{\"name\": \"p\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node run.js\"}}\n");
  write_file(build.path("worker.js"),
             "const { execFileSync } = require('node:child_process');\n"
             "execFileSync('./cc1', [process.argv[2]]);\n");
  write_file(build.path("run.js"),
             "const { fork } = require('node:child_process');\n"
             "for (const name of 'abcdefgh') {\n"
             "  fork('./worker.js', [name]).on('exit', status => {\n"
             "    if (status !== 0) process.exitCode = 1;\n"
             "  });\n"
             "}\n");
  expect_a_permit_for_each(8, "HOME=$PWD npm_config_update_notifier=false npm test");
}

}  // namespace
}  // namespace sluice::testing
