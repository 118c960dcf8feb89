// The programs that pass the cgroup of their container to a daemon.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "attach_fixture.h"
#include "client/client.h"

namespace sluice::testing::attach_test {
namespace {

TEST_F(Attach, TheStaticProgramDoesItOnce) {
  const RunningDaemon daemon(kSidecar);
  const Ended ended =
      run_attach(folder.path(""), {SLUICE_ATTACH, "--once", "--json", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(object_of(ended.out).at("attached").as_bool());
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }))
      << "it has gone, and what it gave has not";
}

TEST_F(Attach, TheHelpOfTheStaticProgramFitsATerminal) {
  const Ended help = run_attach(folder.path(""), {SLUICE_ATTACH, "--help"});
  EXPECT_EQ(help.status, 0) << help.err;
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Attach, SoDoesTheSubcommand) {
  const RunningDaemon daemon(kSidecar);
  const Ended ended = run_attach(folder.path(""),
                                 {SLUICE_COMMAND, "attach", "--once", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "attached\n");
}

TEST_F(Attach, AnEmptyPathOfASocketIsRefusedByBothPrograms) {
  const std::vector<std::vector<std::string>> calls{{SLUICE_ATTACH, "--once", "--socket", ""},
                                                    {SLUICE_ATTACH, "--once", "--socket="},
                                                    {SLUICE_COMMAND, "attach", "--socket", ""}};
  for (const auto& call : calls) {
    const Ended ended = run_attach(folder.path(""), call);
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find("--socket"), std::string::npos) << ended.err;
  }
}

TEST_F(Attach, AndTheExampleInPython) {
  const RunningDaemon daemon(kSidecar);
  CommandRunner example({"/usr/bin/env", "SLUICE_SOCKET=" + daemon.socket(), "python3",
                         SLUICE_SOURCE "/examples/attach.py"},
                        folder.path(""));
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); })) << example.err();
  EXPECT_TRUE(eventually([&] { return object_of(example.out()).contains("memory_limit"); }))
      << example.err();
}

TEST_F(Attach, FromAnotherNetworkNamespaceItIsRefusedUnlessAnywhereMayAttach) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a network namespace";
  const std::vector<std::string> command{"/usr/bin/env", "unshare", "-n",
                                         SLUICE_ATTACH,  "--once",  "--socket"};
  const auto attach_to = [&](const RunningDaemon& daemon) {
    std::vector<std::string> words = command;
    words.push_back(daemon.socket());
    return run_attach(folder.path(""), words);
  };
  const RunningDaemon strict(kSidecar);
  const Ended refused = attach_to(strict);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("another network namespace, so not in this daemon's pod"),
            std::string::npos)
      << refused.err;
  EXPECT_TRUE(is_red(strict));
  EXPECT_NE(strict.log().find("attach refused to user 0"), std::string::npos) << strict.log();
  std::string open_to_all = kSidecar;
  open_to_all.replace(open_to_all.find("source: attach"), 14,
                      "source: attach, attach_from: anywhere");
  const RunningDaemon loose(open_to_all);
  EXPECT_EQ(attach_to(loose).status, 0);
}

TEST_F(Attach, FromOtherMountCgroupAndPidNamespacesItWorks) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make namespaces";
  const RunningDaemon daemon(kSidecar);
  const Ended ended = run_attach(
      folder.path(""), {"/usr/bin/env", "unshare", "--mount", "--cgroup", "--pid", "--fork",
                        "--mount-proc", SLUICE_ATTACH, "--once", "--socket", daemon.socket()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }));
}

TEST_F(Attach, AsAnEntrypointItBecomesTheCommand) {
  const RunningDaemon daemon(kSidecar);
  const std::string end = folder.path("end");
  CommandRunner runner({SLUICE_ATTACH, "--socket", daemon.socket(), "--", "/bin/sh", "-c",
                        "echo $$; while [ ! -e " + end + " ]; do sleep 0.02; done; exit 7"},
                       folder.path(""));
  const std::string pid = std::to_string(runner.pid());
  EXPECT_TRUE(eventually([&] { return !is_red(daemon); }));
  write_file(end, "");
  const int status = runner.wait();
  EXPECT_EQ(runner.out(), pid + "\n");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  const Ended absent = run_attach(folder.path(""), {SLUICE_ATTACH, "--", "/no/such/program"});
  EXPECT_EQ(absent.status, 127) << absent.err;
}

TEST_F(Attach, ADaemonThatWasRestartedIsGivenItAgain) {
  const std::string config = folder.path("sluice.yaml");
  const std::string socket = folder.path("s.sock");
  write_file(config, kSidecar);
  const auto start = [&] {
    return std::make_unique<CommandRunner>(
        std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", config, "--socket", socket,
                                 "--listen", "off"},
        folder.path(""));
  };
  const auto is_green = [&] {
    auto connected = Client::connect(socket);
    if (connected.index() != 0) return false;
    const auto reply = std::get<Client>(connected).call("GET", "/v1/status");
    if (reply.index() != 0) return false;
    const json::object status = object_of(std::get<ClientReply>(reply).body);
    return status.at("sensors").at(0).at("verdict") == "green";
  };
  auto daemon = start();
  CommandRunner executor({SLUICE_ATTACH, "--socket", socket, "--", "/bin/sleep", "1000"},
                         folder.path(""));
  ASSERT_TRUE(eventually(is_green)) << daemon->err();
  kill(daemon->pid(), SIGKILL);
  daemon->wait();
  ASSERT_FALSE(is_green());
  daemon = start();
  EXPECT_TRUE(eventually(is_green)) << daemon->err();
}

}  // namespace
}  // namespace sluice::testing::attach_test
