// Real builds through `sluice-launch`: make, cmake with ninja, ccache, rustc.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <set>
#include <thread>

#include "contents.h"
#include "fixture.h"
#include "installed.h"
#include "real_build.h"
#include "shell.h"

namespace sluice::testing {
namespace {

const std::string kLauncher = SLUICE_LAUNCH;
const std::vector<std::string> kNames{"alpha", "beta", "gamma", "delta", "epsilon", "zeta"};

class Build : public ::testing::Test {
 protected:
  Build() : build(folder.path("build")) {
    for (const char* name :
         {"SLUICE_PERMIT", "SLUICE_JOBSERVER", "MAKEFLAGS", "CCACHE_PREFIX", "CCACHE_DISABLE"}) {
      unsetenv(name);
    }
    std::filesystem::create_directory(folder.path("daemon"));
    daemon = std::make_unique<ServingProcess>(folder.path("daemon"), kTwoAtOnce);
    setenv("SLUICE_SOCKET", daemon->socket().c_str(), 1);
    setenv("XDG_RUNTIME_DIR", folder.path("").c_str(), 1);
    setenv("CCACHE_DIR", folder.path("ccache").c_str(), 1);
    build.add_sources(kNames);
    // Slow enough that as many as may run at once do.
    build.add_compiler("gcc", "/usr/bin/gcc", "[ -z \"$counts\" ] || sleep 0.05");
  }

  Answer run(const std::string& line) { return answer_of("cd " + build.path("") + " && " + line); }

  /// Keys in the history of the daemon, which it has written when it ends.
  std::multiset<std::string> learned() {
    daemon->kill(SIGTERM);
    eventually([&] { return gone(daemon->pid()); });
    const Answer listed =
        answer_of(SLUICE_COMMAND " history --json --state-dir " + folder.path("daemon/state"));
    std::multiset<std::string> keys;
    const auto history = boost::json::parse(listed.text);
    for (const auto& each : history.at("keys").as_array()) {
      keys.emplace(each.at("key").as_string());
    }
    return keys;
  }

  void expect_a_key_for_each_source_and_the_link(const std::string& prefix) {
    const auto keys = learned();
    const auto with = [&](const std::string& beginning) {
      return std::count_if(keys.begin(), keys.end(),
                           [&](const std::string& key) { return key.rfind(beginning, 0) == 0; });
    };
    for (const std::string& name : kNames) {
      EXPECT_EQ(with(prefix + ":" + name + ".c:"), 1) << name;
    }
    EXPECT_EQ(with(prefix + ":main.c:"), 1);
    EXPECT_EQ(with(prefix + ":prog:"), 1) << "the link";
  }

  TemporaryFolder folder;
  RealBuild build;
  std::unique_ptr<ServingProcess> daemon;
};

TEST_F(Build, OfMakeRunsAsManyCompilersAsTheWindowAllowsAndLearnsEach) {
  const Answer built = run("make -j8 CC='" + kLauncher + " " + build.path("bin/gcc") + "'");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(build.use().all, 7);
  EXPECT_EQ(build.use().most, 2);
  EXPECT_EQ(run("./prog").status, 0);
  expect_a_key_for_each_source_and_the_link("gcc");
}

TEST_F(Build, OnATerminalStopsGoesOnAndEndsWithItsCommand) {
  const Answer pressed =
      run("timeout 250 " SLUICE_SOURCE "/tests/cli/build/stop_in_spawn.py " + kLauncher);
  EXPECT_EQ(pressed.status, 0) << pressed.text;
}

TEST_F(Build, OfCmakeAndNinjaRunsAsManyCompilersAsTheWindowAllowsAndLearnsEach) {
  const Answer configured =
      run("cmake -G Ninja -B b -DCMAKE_C_COMPILER=" + build.path("bin/gcc") +
          " -DCMAKE_C_COMPILER_LAUNCHER=" + kLauncher + " -DCMAKE_C_LINKER_LAUNCHER=" + kLauncher);
  ASSERT_EQ(configured.status, 0) << configured.text;
  write_file(build.path("uses"), "");
  const Answer built = run("cmake --build b -j8");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(build.use().all, 7);
  EXPECT_EQ(build.use().most, 2);
  EXPECT_EQ(run("b/prog").status, 0);
  expect_a_key_for_each_source_and_the_link("gcc");
}

TEST_F(Build, GoesOnWhenTheDaemonIsKilledInItsMiddle) {
  build.add_compiler("gcc", "/usr/bin/gcc",
                     "[ -z \"$counts\" ] || echo x >>began; "
                     "[ -e began ] && sleep 0.3");
  Answer built{1, ""};
  std::thread making(
      [&] { built = run("make -j8 CC='" + kLauncher + " " + build.path("bin/gcc") + "'"); });
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 3; }));
  daemon->destroy();
  making.join();
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(run("./prog").status, 0);
  const std::string said = "not governed";
  EXPECT_NE(built.text.find(said), std::string::npos) << built.text;
  EXPECT_EQ(built.text.find(said), built.text.rfind(said)) << built.text;
}

TEST_F(Build, OfAnErrorFailsAsWithoutTheLauncher) {
  write_file(build.path("main.c"), "int main(void) { return undeclared; }\n");
  const Answer built = run("make -j8 CC='" + kLauncher + " " + build.path("bin/gcc") + "'");
  EXPECT_EQ(built.status, 2);
  EXPECT_NE(built.text.find("undeclared"), std::string::npos);
}

TEST_F(Build, ByCcacheAsksForMissesAlone) {
  if (is_missing("ccache")) GTEST_SKIP() << "SKIPPED: ccache is not installed";
  setenv("CCACHE_PREFIX", kLauncher.c_str(), 1);
  const std::string line =
      "make -j8 main.o alpha.o beta.o CC='ccache " + build.path("bin/gcc") + "' && rm *.o";
  const Answer missed = run(line);
  ASSERT_EQ(missed.status, 0) << missed.text;
  const int misses = build.use().all;
  EXPECT_EQ(misses, 3);
  // Hits do not even look for the daemon: where none answers, nothing waits and nothing is said.
  daemon->kill(SIGSTOP);
  const Answer hit = run(line);
  daemon->kill(SIGCONT);
  EXPECT_EQ(hit.status, 0) << hit.text;
  EXPECT_EQ(hit.text.find("sluice-launch: "), std::string::npos) << hit.text;
  EXPECT_EQ(build.use().all, misses);
  EXPECT_EQ(learned().size(), 3u);
  unsetenv("CCACHE_PREFIX");
}

TEST_F(Build, ByCcachePreprocessingNeedsNoPermitSoThatItsHitsDoNotWait) {
  if (is_missing("ccache")) GTEST_SKIP() << "SKIPPED: ccache is not installed";
  setenv("CCACHE_NODIRECT", "1", 1);
  setenv("CCACHE_PREFIX", kLauncher.c_str(), 1);
  setenv("CCACHE_PREFIX_CPP", kLauncher.c_str(), 1);
  const std::string line = "make alpha.o CC='ccache " + build.path("bin/gcc") + "' && rm *.o";
  const Answer missed = run(line);
  EXPECT_EQ(missed.status, 0) << missed.text;
  daemon->kill(SIGSTOP);
  const Answer hit = run(line);
  daemon->kill(SIGCONT);
  EXPECT_EQ(hit.status, 0) << hit.text;
  EXPECT_EQ(hit.text.find("sluice-launch: "), std::string::npos) << hit.text;
  EXPECT_EQ(learned().size(), 1u) << "the compile alone";
  for (const char* name : {"CCACHE_NODIRECT", "CCACHE_PREFIX", "CCACHE_PREFIX_CPP"}) unsetenv(name);
}

TEST_F(Build, BelowSluiceBuildAsksForNothingAlsoIfItIsToRunAKilledOneAgain) {
  ASSERT_EQ(run(SLUICE_COMMAND " run --key own -- true").status, 0);
  const Answer built = run("SLUICE_RETRY_KILLED=1 " SLUICE_COMMAND " build -- make -j8 CC='" +
                           kLauncher + " " + build.path("bin/gcc") + "'");
  EXPECT_EQ(built.status, 0) << built.text;
  const auto keys = learned();
  EXPECT_TRUE(keys.contains("own"));
  for (const std::string& key : keys) EXPECT_FALSE(key.starts_with("gcc:")) << key;
}

/// cargo's way to call a wrapper: the program and its arguments as words of their own.
TEST_F(Build, TakesTheWrapperCallsOfCargo) {
  write_file(build.path("bin/rustc"), "#!/bin/sh\nprintf '%s|' \"$@\"\n");
  chmod(build.path("bin/rustc").c_str(), 0755);
  const std::string rustc = kLauncher + " " + build.path("bin/rustc");
  EXPECT_EQ(run(rustc + " -vV").text, "-vV|");
  EXPECT_EQ(run(rustc + " - --crate-name ___ --print=cfg </dev/null").text,
            "-|--crate-name|___|--print=cfg|");
  EXPECT_EQ(run(rustc + " --crate-name x 'src/main.rs' --cfg 'feature=\"a b\"'").text,
            "--crate-name|x|src/main.rs|--cfg|feature=\"a b\"|");
  const auto keys = learned();
  ASSERT_EQ(keys.size(), 1u) << "questions are no jobs";
  EXPECT_EQ(keys.begin()->rfind("rustc:main.rs:", 0), 0u) << *keys.begin();
}

TEST_F(Build, OfCargoLearnsEachCrate) {
  if (is_missing("cargo") || answer_of("cargo --version").status != 0) {
    GTEST_SKIP() << "SKIPPED: cargo is not installed";
  }
  std::filesystem::create_directories(build.path("src"));
  write_file(build.path("Cargo.toml"),
             "[package]\nname = \"example\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
  write_file(build.path("src/lib.rs"), "pub fn one() -> u32 { 1 }\n");
  write_file(build.path("src/main.rs"), "fn main() { assert_eq!(example::one(), 1); }\n");
  const Answer built = run("RUSTC_WRAPPER=" + kLauncher + " cargo build --offline");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(run("target/debug/example").status, 0);
  const auto keys = learned();
  EXPECT_EQ(keys.size(), 2u);
  for (const std::string& key : keys) EXPECT_EQ(key.rfind("rustc:", 0), 0u) << key;
}

}  // namespace
}  // namespace sluice::testing
