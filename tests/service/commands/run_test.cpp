// `sluice run` and related commands as real commands against a daemon.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include "command_runner.h"
#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {

class Run : public ::testing::Test {
 protected:
  std::vector<std::string> line(std::vector<std::string> command,
                                std::vector<std::string> options = {}) const {
    std::vector<std::string> all{SLUICE_COMMAND, "run", "--socket", daemon.socket()};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  std::vector<std::string> shell(const std::string& script) const {
    return line({"/bin/sh", "-c", script});
  }
  bool status_has(const std::string& part) const {
    return eventually([&] { return has(daemon.ask("GET", "/v1/status").body, part); });
  }
  void fill() { daemon.ask("POST", "/v1/jobs", R"({"id":"full","cost":20})"); }

  RunningDaemon daemon;
  TemporaryFolder folder;
};

TEST_F(Run, PassesOutputAndExitStatusThrough) {
  CommandRunner command(shell("echo out; echo err >&2; exit 7"), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 7);
  EXPECT_EQ(command.out(), "out\n");
  EXPECT_EQ(command.err(), "err\n");
  EXPECT_TRUE(status_has("\"failed\":1"));
  EXPECT_TRUE(status_has("\"finish\":1"));
}

TEST_F(Run, GivesTheCommandEveryArgument) {
  CommandRunner command(line({"/usr/bin/printf", "%s|", "-x", "--", "--key", "", "a b"}),
                        folder.path(""));
  EXPECT_EQ(command.wait(), 0);
  EXPECT_EQ(command.out(), "-x|--|--key||a b|");
  EXPECT_TRUE(status_has("\"ok\":1"));
}

TEST_F(Run, EndsByTheSignalThatKilledTheCommand) {
  CommandRunner command(shell("kill -KILL $$"), folder.path(""));
  const int status = command.wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(Run, PassesSignalsToTheCommand) {
  CommandRunner command(shell("trap 'echo got it; exit 3' TERM; echo ready; "
                              "while :; do sleep 0.01; done"),
                        folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(command.out(), "ready"); }));
  kill(command.pid(), SIGTERM);
  EXPECT_EQ(WEXITSTATUS(command.wait()), 3);
  EXPECT_TRUE(has(command.out(), "got it"));
}

TEST_F(Run, StopsAndGoesOnWithTheCommand) {
  CommandRunner command(shell("echo ready; kill -STOP $$; echo on"), folder.path(""));
  int status = 0;
  ASSERT_EQ(waitpid(command.pid(), &status, WUNTRACED), command.pid());
  EXPECT_TRUE(WIFSTOPPED(status));
  kill(command.pid(), SIGCONT);
  EXPECT_EQ(command.wait(), 0);
  EXPECT_EQ(command.out(), "ready\non\n");
}

TEST_F(Run, SaysWhatCannotBeExecuted) {
  CommandRunner command(line({"/nonexistent/command"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 127);
  EXPECT_TRUE(has(command.err(), "sluice run: /nonexistent/command: ")) << command.err();
  EXPECT_TRUE(status_has("\"usage\":0"));
}

TEST_F(Run, ShowsAShellNothingThatIsMeantForTheCommand) {
  const std::vector<std::string> words{"$HOME", "`id`", "$(id)", "*", "a;b", "a|b", "a b", "~"};
  std::vector<std::string> command{"printf", "%s\\n"};
  command.insert(command.end(), words.begin(), words.end());
  std::string expected;
  for (const std::string& word : words) expected += word + "\n";
  CommandRunner runner(line(command), folder.path(""));
  EXPECT_EQ(runner.wait(), 0);
  EXPECT_EQ(runner.out(), expected);
}

TEST_F(Run, ALineIsNoCommand) {
  CommandRunner command(line({"echo ran; echo again"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 127);
  EXPECT_EQ(command.out(), "");
}

TEST_F(Run, AScriptThatNamesNoInterpreterIsGivenToAShellByNobody) {
  const std::string script = folder.path("script");
  write_file(script, "echo ran\n");
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  CommandRunner command(line({script}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 126);
  EXPECT_EQ(command.out(), "");
  EXPECT_TRUE(has(command.err(), "names no interpreter")) << command.err();
  CommandRunner asked(line({"sh", script}), folder.path(""));
  EXPECT_EQ(asked.wait(), 0);
  EXPECT_EQ(asked.out(), "ran\n");
}

TEST_F(Run, WaitsUntilItFitsAndSaysWhy) {
  fill();
  CommandRunner command(line({"/bin/echo", "ran"}, {"-v", "--cost", "5"}), folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(command.err(), "waiting: needs 5 points"); }));
  EXPECT_EQ(command.out(), "");
  daemon.ask("DELETE", "/v1/jobs/full");
  EXPECT_EQ(command.wait(), 0);
  EXPECT_EQ(command.out(), "ran\n");
  EXPECT_TRUE(has(command.err(), "sluice run: isolated by ")) << command.err();
}

TEST_F(Run, ACommandWhoseKeyRanForAMomentGetsNoGroupOfItsOwn) {
  const TemporaryFolder state;
  const RunningDaemon learning(std::string(kSmallWindow) +
                               "cost: {model: history}\nstate_dir: " + state.path("") + "\n");
  const auto isolation_of = [&](const std::string& key) {
    const TemporaryFolder output;
    CommandRunner command({SLUICE_COMMAND, "run", "--socket", learning.socket(), "-v", "--key", key,
                           "--", "/bin/true"},
                          output.path(""));
    EXPECT_EQ(command.wait(), 0);
    return command.err();
  };
  learning.ask("POST", "/v1/jobs", R"({"id":"a","key":"short","measured":true})");
  learning.ask("DELETE", "/v1/jobs/a?outcome=ok",
               R"({"usage":{"wall":0.005,"cpu":0.005,"peak_memory":1000000}})");
  EXPECT_TRUE(has(isolation_of("short"), "cgroups are off"));
  EXPECT_FALSE(has(isolation_of("unknown"), "cgroups are off"));
}

TEST_F(Run, SaysWhyItWaitsAlsoWhereStandardErrorIsNoTerminalUnlessItIsQuiet) {
  const TemporaryFolder second;
  fill();
  CommandRunner told(line({"/bin/echo", "ran"}, {"--cost", "5"}), folder.path(""));
  ASSERT_TRUE(status_has("\"pending\":1"));
  CommandRunner quiet(line({"/bin/echo", "ran"}, {"-q", "--cost", "5"}), second.path(""));
  // Both have waited about equally long, except for their start-up times.
  ASSERT_TRUE(status_has("\"pending\":2"));
  ASSERT_TRUE(eventually([&] { return has(told.err(), "sluice run: waiting: needs 5 points"); }));
  daemon.ask("POST", "/v1/pause");
  ASSERT_TRUE(eventually([&] { return has(told.err(), "sluice run: waiting: paused"); }));
  daemon.ask("POST", "/v1/resume");
  daemon.ask("DELETE", "/v1/jobs/full");
  EXPECT_EQ(told.wait(), 0);
  EXPECT_EQ(quiet.wait(), 0);
  EXPECT_EQ(told.out(), "ran\n");
  EXPECT_EQ(quiet.out(), "ran\n");
  EXPECT_EQ(quiet.err(), "");
}

TEST_F(Run, SaysNothingOfAWaitThatIsShort) {
  fill();
  CommandRunner command(line({"/bin/echo", "ran"}, {"--cost", "5"}), folder.path(""));
  ASSERT_TRUE(status_has("\"pending\":1"));
  daemon.ask("DELETE", "/v1/jobs/full");
  EXPECT_EQ(command.wait(), 0);
  EXPECT_EQ(command.err(), "");
}

TEST_F(Run, GivesUpInTime) {
  fill();
  CommandRunner command(line({"/bin/echo"}, {"--wait", "10ms", "--cost", "5"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 75);
  EXPECT_TRUE(has(command.err(), "not admitted in time: needs 5 points")) << command.err();
  EXPECT_TRUE(status_has("\"pending\":0"));
}

TEST_F(Run, CtrlCWhileItWaitsCancelsTheJob) {
  fill();
  CommandRunner command(line({"/bin/echo"}, {"--cost", "5"}), folder.path(""));
  ASSERT_TRUE(status_has("\"pending\":1"));
  kill(command.pid(), SIGINT);
  EXPECT_EQ(WTERMSIG(command.wait()), SIGINT);
  EXPECT_TRUE(status_has("\"pending\":0"));
}

TEST_F(Run, KilledItTakesTheCommandWithItAndGivesThePointsBack) {
  CommandRunner command(shell("echo $$; while :; do sleep 0.01; done"), folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(command.out(), "\n"); }));
  const pid_t child = std::stoi(command.out());
  kill(command.pid(), SIGKILL);
  command.wait();
  EXPECT_TRUE(eventually([&] { return gone(child); }));
  EXPECT_TRUE(status_has("\"usage\":0"));
}

TEST_F(Run, WhatCanNeverRunIsSaid) {
  CommandRunner command(line({"/bin/echo"}, {"--cost", "21"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 2);
  EXPECT_TRUE(has(command.err(), "21 points")) << command.err();
}

TEST_F(Run, AsksForTheMemoryThatItIsTold) {
  CommandRunner command(line({"/bin/sleep", "60"}, {"--memory", "1.5GiB"}), folder.path(""));
  EXPECT_TRUE(eventually([&] { return has(daemon.ask("GET", "/v1/jobs").body, "1610612736"); }));
  kill(command.pid(), SIGTERM);
  EXPECT_EQ(WTERMSIG(command.wait()), SIGTERM);
  CommandRunner wrong(line({"/bin/echo"}, {"--memory", "much"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(wrong.wait()), 2);
  EXPECT_TRUE(has(wrong.err(), "--memory must be a size such as")) << wrong.err();
}

TEST_F(Run, WithoutADaemonNothingRuns) {
  daemon.stop();
  CommandRunner command(line({"/bin/echo", "ran"}, {"--no-daemon", "fail"}), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 2);
  EXPECT_TRUE(has(command.err(), "no sluice daemon found")) << command.err();
  EXPECT_EQ(command.out(), "");
}

TEST_F(Run, WithoutADaemonItRunsUngovernedWhereThatIsWanted) {
  daemon.stop();
  CommandRunner command(line({"/bin/sh", "-c", "echo ran; exit 7"}, {"--no-daemon", "run"}),
                        folder.path(""));
  EXPECT_EQ(WEXITSTATUS(command.wait()), 7);
  EXPECT_EQ(command.out(), "ran\n");
  EXPECT_TRUE(command.err().starts_with("sluice run: running ungoverned: no sluice daemon"))
      << command.err();
  EXPECT_EQ(std::ranges::count(command.err(), '\n'), 1) << command.err();
}

class Expected : public ::testing::Test {
 protected:
  void SetUp() override { write_file(folder.path("config"), kSmallWindow); }

  std::unique_ptr<CommandRunner> start(std::vector<std::string> command) {
    command.insert(command.begin(), SLUICE_COMMAND);
    return std::make_unique<CommandRunner>(command, places.emplace_back().path(""));
  }
  std::unique_ptr<CommandRunner> serve() {
    return start(
        {"serve", "--socket", socket, "--listen", "off", "--config", folder.path("config")});
  }

  std::deque<TemporaryFolder> places;
  TemporaryFolder folder;
  const std::string socket = folder.path("s");
};

TEST_F(Expected, ADaemonIsWaitedForByWhoeverNamesItsSocket) {
  const auto run = start({"run", "--socket", socket, "--", "/bin/echo", "ran"});
  const auto set = start({"set", "17", "--socket", socket, "--priority", "3"});
  const auto drain = start({"drain", "--socket", socket, "--wait"});
  for (const auto& each : {run.get(), set.get(), drain.get()}) {
    ASSERT_TRUE(eventually([&] { return has(each->err(), "s for the daemon\n"); }));
  }
  const auto daemon = serve();
  EXPECT_EQ(WEXITSTATUS(set->wait()), 2);
  EXPECT_TRUE(has(set->err(), "there is no job `17`")) << set->err();
  EXPECT_EQ(WEXITSTATUS(drain->wait()), 0) << drain->err();
  kill(run->pid(), SIGKILL);  // Admitted before the drain, or waiting until its end.
}

TEST_F(Expected, ACommandSaysItsWholeTimeLimit) {
  for (const char* limit : {"1s", "2s"}) {
    const auto run = start({"run", "--socket", socket, "--wait", limit, "--", "/bin/echo"});
    const std::string told =
        "sluice run: waiting up to " + std::string(1, *limit) + " s for the daemon\n";
    EXPECT_TRUE(eventually([&] { return has(run->err(), told); })) << run->err();
    kill(run->pid(), SIGKILL);
  }
}

TEST_F(Expected, ACommandRunsOnceItsDaemonHasCome) {
  const auto run = start({"run", "--socket", socket, "--", "/bin/echo", "ran"});
  ASSERT_TRUE(eventually([&] { return has(run->err(), "waiting up to 30 s for the daemon\n"); }));
  const auto daemon = serve();
  EXPECT_EQ(WEXITSTATUS(run->wait()), 0) << run->err();
  EXPECT_EQ(run->out(), "ran\n");
}

TEST_F(Expected, NobodyWaitsForADaemonThatWasNeverSetUp) {
  if (access("/run/sluice", F_OK) == 0) GTEST_SKIP() << "there is one on this host";
  const std::vector<std::string> bare{"/usr/bin/env", "-u", "SLUICE_SOCKET",
                                      "XDG_RUNTIME_DIR=" + folder.path("")};
  std::vector<std::string> command = bare;
  command.insert(command.end(), {SLUICE_COMMAND, "run", "--", "/bin/echo", "ran"});
  CommandRunner none(command, places.emplace_back().path(""));
  EXPECT_EQ(WEXITSTATUS(none.wait()), 2);
  EXPECT_FALSE(has(none.err(), "waiting")) << none.err();
  write_file(folder.path("sluice.sock.lock"), "");
  CommandRunner left(command, places.emplace_back().path(""));
  EXPECT_TRUE(eventually([&] { return has(left.err(), "s for the daemon\n"); }));
}

TEST_F(Run, ControlCommandsSayWhatIsTheCase) {
  const auto control = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SLUICE_COMMAND);
    arguments.insert(arguments.end(), {"--socket", daemon.socket()});
    CommandRunner command(arguments, folder.path(""));
    EXPECT_EQ(command.wait(), 0) << command.err();
    return command.out();
  };
  EXPECT_EQ(control({"pause"}), "paused: 0 running, 0 pending\n");
  EXPECT_EQ(control({"resume"}), "open: 0 running, 0 pending\n");
  EXPECT_EQ(control({"drain", "--wait"}), "draining: 0 running, 0 pending\n");
  EXPECT_EQ(control({"reload"}), "reloaded " + daemon.config_file + "\n");
}

TEST_F(Run, DrainWaitsForWhatRunsAndSaysWhyItStopsWaiting) {
  const TemporaryFolder second, third;
  const auto drain = [&](const TemporaryFolder& place, std::vector<std::string> options) {
    options.insert(options.begin(), {SLUICE_COMMAND, "drain", "--socket", daemon.socket()});
    return std::make_unique<CommandRunner>(options, place.path(""));
  };
  daemon.ask("POST", "/v1/jobs", R"({"id":"long"})");
  auto early = drain(folder, {"--timeout", "0s"});
  EXPECT_EQ(WEXITSTATUS(early->wait()), 75);
  EXPECT_TRUE(has(early->err(), "1 job runs after")) << early->err();

  auto patient = drain(second, {"--wait"});
  ASSERT_TRUE(eventually([&] { return has(patient->err(), "waiting: 1 job runs"); }));
  daemon.ask("DELETE", "/v1/jobs/long");
  EXPECT_EQ(WEXITSTATUS(patient->wait()), 0) << patient->err();

  daemon.ask("POST", "/v1/resume");
  daemon.ask("POST", "/v1/jobs", R"({"id":"other"})");
  auto resumed = drain(third, {"--wait"});
  ASSERT_TRUE(eventually([&] { return has(resumed->err(), "waiting: 1 job runs"); }));
  daemon.ask("POST", "/v1/resume");
  EXPECT_EQ(WEXITSTATUS(resumed->wait()), 1) << resumed->err();
}

TEST_F(Run, ADaemonThatIsSilentForAWhileIsWaitedForAloud) {
  const std::string socket = folder.path("own.sock");
  CommandRunner serve({SLUICE_COMMAND, "serve", "--socket", socket, "--listen", "off", "--config",
                       SLUICE_SOURCE "/tests/cli/no_sensors.yaml"},
                      folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(serve.err(), "serves on " + socket); })) << serve.err();
  kill(serve.pid(), SIGSTOP);
  TemporaryFolder other;
  CommandRunner run({SLUICE_COMMAND, "run", "--socket", socket, "--", "true"}, other.path(""));
  EXPECT_TRUE(eventually([&] {
    return run.err() == "sluice run: waiting: for the daemon to answer\n";
  })) << run.err();
  kill(serve.pid(), SIGCONT);
  EXPECT_EQ(run.wait(), 0) << run.err();
}

TEST_F(Run, ACommandMayHaveAnyBytes) {
  const std::string program = folder.path("own\xff\tshell");
  std::filesystem::create_symlink("/bin/sh", program);
  CommandRunner command(line({program, "-c", "printf %s \"$1\"", "sh", "a\xff"}), folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(command.out(), "a\xff");
  EXPECT_EQ(command.err(), "");
}

TEST_F(Run, APermitThatIsNotUtf8IsThatOfNoJob) {
  std::vector<std::string> words = line({"/bin/sh", "-c", "echo ran"});
  words.insert(words.begin(), {"/usr/bin/env", "SLUICE_PERMIT=a\xff"});
  CommandRunner command(words, folder.path(""));
  EXPECT_EQ(command.wait(), 0) << command.err();
  EXPECT_EQ(command.out(), "ran\n");
}

TEST_F(Run, ServeIsADaemonThatStopsOnSigterm) {
  const std::string socket = folder.path("own.sock");
  CommandRunner serve({SLUICE_COMMAND, "serve", "--socket", socket, "--listen", "off"},
                      folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(serve.err(), "serves on " + socket); })) << serve.err();
  TemporaryFolder other;
  CommandRunner second({SLUICE_COMMAND, "serve", "--socket", socket, "--listen", "off"},
                       other.path(""));
  EXPECT_EQ(WEXITSTATUS(second.wait()), 2);
  EXPECT_TRUE(has(second.err(), "by process " + std::to_string(serve.pid()))) << second.err();
  kill(serve.pid(), SIGHUP);
  EXPECT_TRUE(eventually([&] { return has(serve.err(), "no configuration file"); }));
  CommandRunner reload({SLUICE_COMMAND, "reload", "--socket", socket}, other.path(""));
  EXPECT_EQ(reload.wait(), 0) << reload.err();
  EXPECT_EQ(reload.out(), "re-read this host's limits; the daemon has no configuration file\n");
  kill(serve.pid(), SIGTERM);
  EXPECT_EQ(serve.wait(), 0) << serve.err();
  EXPECT_TRUE(has(serve.err(), "stopping: SIGTERM"));
}

}  // namespace
}  // namespace sluice::testing
