// `sluice-launch` itself, with real daemons, dead ones, hung ones and none.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>

#include "base/process_table.h"
#include "command_runner.h"
#include "contents.h"
#include "fixture.h"
#include "real_build.h"
#include "shell.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

const std::string kLaunch = SLUICE_LAUNCH;

class Launch : public ::testing::Test {
 protected:
  Launch() {
    for (const char* name : {"SLUICE_PERMIT", "SLUICE_PERMIT_POINTS", "SLUICE_PERMIT_MEMORY",
                             "SLUICE_PERMIT_SOCKET", "SLUICE_JOBSERVER", "TMPDIR"}) {
      unsetenv(name);
    }
    setenv("XDG_RUNTIME_DIR", folder.path("").c_str(), 1);
    setenv("SLUICE_SOCKET", folder.path("sluice.sock").c_str(), 1);
    std::filesystem::create_directory(folder.path("daemon"));
  }

  void serve(const std::string& yaml = kTwoAtOnce) {
    daemon = std::make_unique<ServingProcess>(folder.path("daemon"), yaml);
    setenv("SLUICE_SOCKET", daemon->socket().c_str(), 1);
  }

  std::unique_ptr<CommandRunner> start(std::vector<std::string> command) {
    command.insert(command.begin(), kLaunch);
    const std::string place = folder.path("run" + std::to_string(++runs));
    std::filesystem::create_directory(place);
    return std::make_unique<CommandRunner>(command, place);
  }

  json::object job(const std::string& number) const {
    auto client = Client::connect(daemon->socket());
    const auto reply = std::get<Client>(client).call("GET", "/v1/jobs/" + number);
    return json::parse(std::get<ClientReply>(reply).body).as_object();
  }

  TemporaryFolder folder;
  std::unique_ptr<ServingProcess> daemon;
  int runs = 0;
};

TEST_F(Launch, HelpsAndRefusesWhatIsNoCommand) {
  const Answer help = answer_of(kLaunch + " --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.text.find("Examples:"), std::string::npos);
  EXPECT_EQ(answer_of(kLaunch + " --version").text.rfind("sluice-launch ", 0), 0u);
  EXPECT_EQ(answer_of(kLaunch + " --help | awk 'length > 80'").text, "");
  const auto status = [](const char* words) { return answer_of(kLaunch + words).status; };
  for (const char* none : {"", " --", " --wait 5 true"}) EXPECT_EQ(status(none), 2) << none;
}

TEST_F(Launch, NeedsNoSharedLibrary) {
  const std::string linking = SLUICE_LAUNCH_LINKING;
  if (linking.find("-static") == linking.npos) GTEST_SKIP() << "a sanitizer needs shared libraries";
  EXPECT_NE(answer_of("ldd " + kLaunch).text.find("not a dynamic executable"), std::string::npos)
      << "each costs a start 0.2 ms";
}

TEST_F(Launch, PassesInputOutputAndStatusOn) {
  serve();
  const Answer answer = answer_of("echo in | " + kLaunch + " sh -c 'cat; echo err >&2; exit 7'");
  EXPECT_EQ(answer.status, 7);
  EXPECT_EQ(answer.text, "in\nerr\n");
  EXPECT_EQ(answer_of("cd / && " + kLaunch + " pwd").text, "/\n");
}

TEST_F(Launch, PassesTheStatusOnAlsoWhereItsCallerIgnoresEndedChildren) {
  serve();
  EXPECT_EQ(answer_of("timeout -s KILL 20 env --ignore-signal=CHLD " + kLaunch +
                      " sh -c 'sleep 0.1; exit 3'")
                .status,
            3);
}

TEST_F(Launch, EndsByTheSignalThatEndsItsCommand) {
  serve();
  const int status = start({"sh", "-c", "kill -USR1 $$"})->wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGUSR1);
}

TEST_F(Launch, ExitsAsEnvDoesWhenNothingCanBeExecuted) {
  for (const bool is_served : {false, true}) {
    if (is_served) serve();
    EXPECT_EQ(answer_of(kLaunch + " /nonexistent").status, 127) << is_served;
    EXPECT_EQ(answer_of(kLaunch + " nonexistent-program").status, 127) << is_served;
    EXPECT_EQ(answer_of(kLaunch + " /etc/passwd").status, 126) << is_served;
    write_file(folder.path("script"), "exit 5\n");
    chmod(folder.path("script").c_str(), 0755);
    EXPECT_EQ(answer_of(kLaunch + " " + folder.path("script")).status, 5) << is_served;
  }
}

TEST_F(Launch, HandsBackWhatItsCommandUsedAndHowItEnded) {
  serve();
  EXPECT_EQ(
      answer_of(kLaunch + " python3 -c 'b = bytearray(100 << 20); b[::4096] = b[::4096]'").status,
      0);
  const json::object good = job("1");
  EXPECT_EQ(good.at("outcome"), "ok");
  EXPECT_EQ(good.at("ended_by"), "finish");
  EXPECT_GT(good.at("usage").at("peak_memory").to_number<double>(), 100 << 20);
  EXPECT_LT(good.at("usage").at("peak_memory").to_number<double>(), 200 << 20);
  EXPECT_GT(good.at("usage").at("cpu").to_number<double>(), 0);
  EXPECT_EQ(answer_of(kLaunch + " false").status, 1);
  EXPECT_EQ(job("2").at("outcome"), "failed");
}

TEST_F(Launch, LetsTheDaemonMeasureItsCommandWhileItRuns) {
  serve();
  const auto run = start({"python3", "-c", "b = b'x' * (80 << 20); import time; time.sleep(60)"});
  EXPECT_TRUE(eventually([&] {
    if (daemon->states().empty()) return false;
    const json::value usage = job("1").at("usage");
    return usage.is_object() && usage.at("source") == "processes" &&
           usage.at("memory").to_number<double>() > (80 << 20);
  }));
  kill(run->pid(), SIGTERM);
}

TEST_F(Launch, WaitsForItsTurnAndSaysWhy) {
  serve();
  const auto first = start({"sleep", "60"}), second = start({"sleep", "60"});
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 2; }));
  const auto third = start({"true"});
  ASSERT_TRUE(eventually([&] { return daemon->count("pending") == 1; }));
  EXPECT_TRUE(eventually([&] { return !third->err().empty(); }));
  EXPECT_EQ(third->err(), "sluice-launch: waiting: needs 1 of compilers, 0 of 2 free\n");
  kill(first->pid(), SIGTERM);
  EXPECT_EQ(third->wait(), 0);
}

TEST_F(Launch, IsGoneAtOnceOnASignalWhileItWaits) {
  serve();
  const auto first = start({"sleep", "60"}), second = start({"sleep", "60"});
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 2; }));
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    const auto third = start({"touch", folder.path("ran")});
    ASSERT_TRUE(eventually([&] { return daemon->count("pending") == 1; }));
    kill(third->pid(), number);
    const int status = third->wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << number;
    EXPECT_TRUE(eventually([&] { return daemon->count("pending") == 0; })) << number;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("ran")));
}

TEST_F(Launch, ForwardsSignalsAndReturnsThePermit) {
  serve();
  const auto run = start({"sh", "-c", "trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(eventually([&] { return run->out() == "up\n"; }));
  kill(run->pid(), SIGTERM);
  ASSERT_TRUE(eventually([&] { return gone(run->pid()); }));
  const int status = run->wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  EXPECT_TRUE(eventually([&] { return daemon->states().empty(); }));
}

/// The state of a process, such as 'T' for a stopped one.
char state_of(pid_t process) {
  const auto facts = read_process(process);
  return facts ? facts->state : '-';
}

TEST_F(Launch, StopsAndContinuesWithItsCommand) {
  serve();
  const auto run = start({"sh", "-c", "echo $$; while :; do sleep 0.01; done"});
  ASSERT_TRUE(eventually([&] { return run->out().ends_with('\n'); }));
  const pid_t child = std::stoi(run->out());
  // Not SIGTSTP: where the tests have no terminal it stops nothing, as POSIX wants it.
  kill(child, SIGSTOP);
  EXPECT_TRUE(eventually([&] { return state_of(run->pid()) == 'T' && state_of(child) == 'T'; }));
  kill(run->pid(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return state_of(run->pid()) != 'T' && state_of(child) != 'T'; }));
  kill(run->pid(), SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(run->wait()));
}

TEST_F(Launch, TakesItsChildAlongWhenItIsKilled) {
  serve();
  const auto run = start({"sh", "-c", "echo $$; exec sleep 60"});
  ASSERT_TRUE(eventually([&] { return run->out().ends_with('\n'); }));
  const pid_t child = std::stoi(run->out());
  ASSERT_FALSE(gone(child));
  kill(run->pid(), SIGKILL);
  run->wait();
  EXPECT_TRUE(eventually([&] { return gone(child); }));
  EXPECT_TRUE(eventually([&] { return daemon->states().empty(); }));
}

TEST_F(Launch, LeavesTheEnvironmentAloneButForThePermit) {
  serve();
  const std::string changed =
      answer_of("env | sort > " + folder.path("a") + "; " + kLaunch + " env | sort > " +
                folder.path("b") + "; diff " + folder.path("a") + " " + folder.path("b") +
                " | grep '^[<>]' | sed 's/=.*//'")
          .text;
  EXPECT_EQ(changed,
            "> SLUICE_PERMIT\n> SLUICE_PERMIT_MEMORY\n> SLUICE_PERMIT_POINTS\n"
            "> SLUICE_PERMIT_SOCKET\n");
}

TEST_F(Launch, WorksOnThePermitOfTheCommandThatStartedIt) {
  serve(
      "window: {law: rfc, initial: 10, minimum: 10, maximum: 10}\n"
      "cost: {base: 10}\n"
      "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
      "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n");
  const Answer inner = answer_of("timeout 20 " SLUICE_COMMAND " run -- " + kLaunch + " " + kLaunch +
                                 " echo through");
  EXPECT_EQ(inner.text, "through\n") << "it must not wait for itself";
  EXPECT_EQ(job("2").at("parent"), "1");
  EXPECT_EQ(job("3").at("parent"), job("2").at("id"));
}

TEST_F(Launch, AsksTheDaemonThatGrantedThePermitWhereNoOtherIsNamed) {
  serve();
  unsetenv("SLUICE_SOCKET");
  setenv("SLUICE_PERMIT_SOCKET", daemon->socket().c_str(), 1);
  EXPECT_EQ(answer_of(kLaunch + " true").text, "");
  EXPECT_EQ(job("1").at("program"), "true");
}

TEST_F(Launch, RunsOnTheTokenOfAJobserver) {
  serve();
  write_file(folder.path("Makefile"), "all: a b c d\na b c d:\n\t@" + kLaunch + " echo $@\n");
  const Answer built =
      answer_of("cd " + folder.path("") +
                " && timeout 60 " SLUICE_COMMAND " jobserver --daemon -- make -s | sort");
  EXPECT_EQ(built.text, "a\nb\nc\nd\n");
  EXPECT_EQ(answer_of(kLaunch + " true").status, 0);
  EXPECT_EQ(job("2").at("program"), "true") << "it would count twice";
}

TEST_F(Launch, AsksNothingForQuestions) {
  serve();
  EXPECT_EQ(answer_of(kLaunch + " cc --version >/dev/null").status, 0);
  EXPECT_EQ(answer_of("echo 'int a;' | " + kLaunch + " cc -E - >/dev/null").status, 0);
  EXPECT_EQ(answer_of(kLaunch + " true").status, 0);
  EXPECT_EQ(job("1").at("program"), "true") << "the first that asked";
}

TEST_F(Launch, RunsAtOnceWithoutADaemonAndSaysSoOnce) {
  const Answer twice = answer_of("for i in 1 2 3; do " + kLaunch + " echo $i; done");
  EXPECT_EQ(twice.text,
            "sluice-launch: not governed, running at once: no sluice daemon found: tried " +
                folder.path("sluice.sock") +
                " (named by SLUICE_SOCKET); start one with `sluice serve`\n1\n2\n3\n");
  EXPECT_EQ(answer_of("setsid -w " + kLaunch + " true").text.rfind("sluice-launch: not", 0), 0u)
      << "another build";
}

TEST_F(Launch, RunsAtOnceWhereASocketAndALockAreLeftThatNobodyServes) {
  serve();
  daemon->destroy();
  ASSERT_TRUE(std::filesystem::exists(daemon->socket()));
  const auto began = Clock::now();
  EXPECT_EQ(start({"true"})->wait(), 0);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(1));
}

TEST_F(Launch, RunsAtOnceWhereItMayNotUseTheSocket) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  serve();
  chmod(daemon->socket().c_str(), 0600);
  chmod(folder.path("").c_str(), 0755);
  chmod(folder.path("daemon").c_str(), 0755);
  std::filesystem::copy_file(kLaunch, folder.path("sluice-launch"));
  unsetenv("XDG_RUNTIME_DIR");
  const Answer answer =
      answer_of("setsid -w setpriv --reuid 65534 --clear-groups env TMPDIR=" + folder.path("none") +
                " " + folder.path("sluice-launch") + " echo ran");
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.text.find("no permission to use the sluice daemon"), std::string::npos)
      << answer.text;
  EXPECT_NE(answer.text.find("ran\n"), std::string::npos);
}

TEST_F(Launch, RunsAtOnceWhereASeccompFilterKillsWhatConnects) {
  EXPECT_EQ(answer_of(STATIC_PROGRAM " filtered " + kLaunch + " echo ran").text,
            "sluice-launch: not governed, running at once: a seccomp filter kills processes "
            "that open a connection\nran\n");
}

TEST_F(Launch, RunsWithoutAHomeAndWithoutAPlaceToWrite) {
  const Answer answer = answer_of("env -i SLUICE_SOCKET=/nonexistent/s.sock HOME=/nonexistent " +
                                  kLaunch + " /bin/echo ran");
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.text.find("ran\n"), std::string::npos);
  serve();
  EXPECT_EQ(
      answer_of("env -i SLUICE_SOCKET=" + daemon->socket() + " " + kLaunch + " /bin/echo ran").text,
      "ran\n");
}

TEST_F(Launch, WaitsOnceForAHungDaemonAndNotAgainInThatBuild) {
  serve();
  daemon->kill(SIGSTOP);
  const auto began = Clock::now();
  const auto first = start({"true"});
  EXPECT_EQ(first->wait(), 0);
  const auto took = Clock::now() - began;
  EXPECT_GE(took, std::chrono::seconds(1));
  EXPECT_LT(took, std::chrono::seconds(4));
  EXPECT_NE(first->err().find("does not answer"), std::string::npos) << first->err();
  const auto again = Clock::now();
  const auto second = start({"true"});
  EXPECT_EQ(second->wait(), 0);
  EXPECT_LT(Clock::now() - again, std::chrono::seconds(1));
  EXPECT_EQ(second->err(), "") << "said already";
  daemon->kill(SIGCONT);
}

TEST_F(Launch, EndsWithItsCommandWhileTheDaemonHangs) {
  serve();
  const auto run = start({"sh", "-c", "echo up; read line < " + folder.path("fifo")});
  mkfifo(folder.path("fifo").c_str(), 0600);
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 1; }));
  daemon->kill(SIGSTOP);
  const auto began = Clock::now();
  kill(run->pid(), SIGTERM);
  run->wait();
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(2));
  daemon->kill(SIGCONT);
  EXPECT_TRUE(eventually([&] { return daemon->states().empty(); }));
}

TEST_F(Launch, LetsABuildGoOnWhenTheDaemonIsKilled) {
  serve();
  std::vector<std::unique_ptr<CommandRunner>> all;
  mkfifo(folder.path("fifo").c_str(), 0600);
  const int gate = open(folder.path("fifo").c_str(), O_RDWR | O_CLOEXEC);
  for (int job = 0; job < 5; ++job) {
    all.push_back(start({"sh", "-c", "echo up; head -c 1 " + folder.path("fifo") + " >/dev/null"}));
  }
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 2; }));
  ASSERT_TRUE(eventually([&] { return daemon->count("pending") == 3; }));
  daemon->destroy();
  for (const auto& each : all) {
    EXPECT_TRUE(eventually([&] { return each->out() == "up\n"; })) << each->err();
  }
  ASSERT_EQ(write(gate, "12345", 5), 5);
  std::string said;
  for (const auto& each : all) {
    EXPECT_EQ(each->wait(), 0);
    said += each->err();
  }
  EXPECT_EQ(said.find("is gone"), said.rfind("is gone")) << said;
  close(gate);
}

TEST_F(Launch, ReportsToTheNextDaemonWhatItStartedUnderTheLast) {
  serve();
  mkfifo(folder.path("fifo").c_str(), 0600);
  const int gate = open(folder.path("fifo").c_str(), O_RDWR | O_CLOEXEC);
  const auto run = start({"sh", "-c", "head -c 1 " + folder.path("fifo") + " >/dev/null; exit 3"});
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 1; }));
  daemon->destroy();
  daemon->start();
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 1; })) << "kept by its process";
  ASSERT_EQ(write(gate, "1", 1), 1);
  EXPECT_EQ(WEXITSTATUS(run->wait()), 3);
  EXPECT_EQ(job("1").at("outcome"), "failed");
  close(gate);
}

TEST_F(Launch, KeepsWaitingAcrossAnOrderlyRestart) {
  serve();
  const auto first = start({"sleep", "60"}), second = start({"sleep", "60"});
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 2; }));
  const auto third = start({"touch", folder.path("ran")});
  ASSERT_TRUE(eventually([&] { return daemon->count("pending") == 1; }));
  daemon->restart();
  ASSERT_TRUE(eventually([&] { return daemon->count("pending") == 1; }));
  EXPECT_FALSE(std::filesystem::exists(folder.path("ran")));
  kill(second->pid(), SIGTERM);
  EXPECT_EQ(third->wait(), 0);
  EXPECT_EQ(third->err(), "");
}

}  // namespace
}  // namespace sluice::testing
