// The daemon that `sluice build` starts for its user, and what may be in its way.
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/descriptors.h"
#include "base/socket_places.h"
#include "build_fixture.h"
#include "cli/build/daemon_start.h"
#include "few_descriptors.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;

class UserDaemon : public BuildFixture {
 protected:
  static Descriptor listening(const std::string& path) {
    Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = unix_address(path);
    EXPECT_EQ(bind(made.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
    EXPECT_EQ(listen(made.get(), 9), 0);
    return made;
  }

  void expect_error(const Answer& answer, const std::string& path, const std::string& text) {
    EXPECT_EQ(answer.status, 2) << answer.text;
    EXPECT_NE(answer.text.find("sluice build: " + path), std::string::npos) << answer.text;
    EXPECT_NE(answer.text.find(text), std::string::npos) << answer.text;
  }
};

TEST_F(UserDaemon, IsStartedByTheFirstBuildAndUsedByTheNext) {
  EXPECT_EQ(build("-- true").status, 0);
  const pid_t first = daemon_at(socket());
  ASSERT_GT(first, 0);
  EXPECT_EQ(build("-- true").status, 0);
  EXPECT_EQ(daemon_at(socket()), first);
}

TEST_F(UserDaemon, IsOneForTenBuildsAtOnce) {
  const Answer all = answer_of("for each in 1 2 3 4 5 6 7 8 9 10; do timeout 60 " SLUICE_COMMAND
                               " build -- echo built & done; wait");
  EXPECT_EQ(count(all.text, "built"), 10u) << all.text;
  EXPECT_EQ(count(log(), " serves on "), 1u) << log();
  EXPECT_EQ(count(log(), "already served"), 0u) << "a second one tried: " << log();
}

TEST_F(UserDaemon, KeepsNoDescriptorTerminalOrFolderOfTheBuild) {
  ASSERT_EQ(build("-- true 7</etc/passwd 9>" + work("open")).status, 0);
  const pid_t daemon = daemon_at(socket());
  ASSERT_GT(daemon, 0);
  const std::string proc = "/proc/" + std::to_string(daemon);
  EXPECT_EQ(fs::read_symlink(proc + "/cwd"), "/");
  for (const auto& each : fs::directory_iterator(proc + "/fd")) {
    std::error_code is_closed;  // Meanwhile: the daemon works.
    const std::string target = fs::read_symlink(each.path(), is_closed).string();
    EXPECT_NE(target, "/etc/passwd");
    EXPECT_NE(target, work("open"));
    EXPECT_EQ(target.find("/dev/pts"), std::string::npos) << target;
    EXPECT_EQ(target.find("pipe:") != std::string::npos && each.path().filename().string() < "3",
              false)
        << "a standard stream of the build";
  }
  EXPECT_EQ(fs::read_symlink(proc + "/fd/0"), "/dev/null");
  EXPECT_EQ(fs::read_symlink(proc + "/fd/2"), own("daemon.log"));
  EXPECT_NE(getsid(daemon), getsid(0));
  EXPECT_EQ(contents_of(proc + "/environ").find("MAKEFLAGS"), std::string::npos);
}

TEST_F(UserDaemon, IsStartedWhereAProcessMayHaveFewDescriptors) {
  const FewDescriptors few(48);
  const auto started = cli::DetachedProcess::start({"/bin/true"}, STDERR_FILENO);
  const auto* problem = std::get_if<std::string>(&started);
  EXPECT_FALSE(problem) << (problem ? *problem : "");
}

TEST_F(UserDaemon, LearnsWhereTheUsersOtherCommandsDo) {
  ASSERT_EQ(build("-- true").status, 0);
  EXPECT_TRUE(fs::exists(folder.path("home/.local/state/sluice/history.db")));
}

TEST_F(UserDaemon, ReplacesOneThatWasKilled) {
  ASSERT_EQ(build("-- true").status, 0);
  const pid_t first = daemon_at(socket());
  ASSERT_GT(first, 0);
  kill(first, SIGKILL);
  ASSERT_TRUE(eventually([&] { return daemon_at(socket()) == 0; }));
  EXPECT_TRUE(fs::exists(socket())) << "a stale socket";
  EXPECT_EQ(build("-- echo built").text, "built\n");
  EXPECT_GT(daemon_at(socket()), 0);
}

TEST_F(UserDaemon, EndsWhenNobodyHasUsedItForItsTime) {
  const std::string own_socket = folder.path("s.sock");
  const Answer served = answer_of(
      "timeout 20 " SLUICE_COMMAND " serve --private --exit-when-idle 1s --socket " + own_socket);
  EXPECT_EQ(served.status, 0) << served.text;
  EXPECT_NE(served.text.find("stopping: unused for 1s"), std::string::npos);
  EXPECT_FALSE(fs::exists(own_socket));
}

TEST_F(UserDaemon, StaysWhileAClientIsThere) {
  const std::string own_socket = folder.path("s.sock");
  answer_of("(timeout 20 " SLUICE_COMMAND " serve --private --exit-when-idle 1s --socket " +
            own_socket + " >" + folder.path("log") + " 2>&1 &)");
  ASSERT_TRUE(eventually([&] { return daemon_at(own_socket) > 0; }));
  const Answer run =
      answer_of(SLUICE_COMMAND " run --socket " + own_socket + " -- sh -c 'sleep 3; echo done'");
  EXPECT_EQ(run.text, "done\n");
  EXPECT_EQ(count(contents_of(folder.path("log")), "stopping"), 0u);
  EXPECT_TRUE(eventually([&] { return daemon_at(own_socket) == 0; }));
}

TEST_F(UserDaemon, OfOneBuildEndsWithItAndLeavesNothing) {
  EXPECT_EQ(build("--alone -- sh -c 'exit 3'").status, 3);
  EXPECT_FALSE(fs::exists(socket()));
  for (const auto& each : fs::directory_iterator(own(""))) {
    EXPECT_FALSE(each.path().filename().string().starts_with("alone-")) << each;
  }
  EXPECT_EQ(count(log(), "stopping: SIGTERM"), 1u) << log();
}

TEST_F(UserDaemon, BesideTheUsualOneIsNamedByStatusAndWhereNoneIsFound) {
  ASSERT_EQ(answer_of("mkdir -m 700 -p " + own("") + " && mkdir " + own("alone-x")).status, 0);
  const Descriptor group = listening(own("group-7.sock"));
  const Descriptor alone = listening(own("alone-x/sluice.sock"));
  static_cast<void>(listening(own("group-8.sock")));  // Closes it: left of one that was killed.
  const auto expect_named = [&](const std::string& text, const char* where) {
    EXPECT_EQ(count(text, where), 1u) << text;
    EXPECT_EQ(
        count(text, "a daemon for the memory limit of a cgroup serves at " + own("group-7.sock")),
        1u)
        << text;
    EXPECT_EQ(count(text, "a daemon for one build serves at " + own("alone-x/sluice.sock")), 1u)
        << text;
    EXPECT_EQ(count(text, "name it by --socket"), 1u) << text;
    EXPECT_EQ(count(text, "group-8"), 0u) << text;
  };
  for (const std::string command : {"status", "explain 1", "run -- true"}) {
    const Answer none = answer_of("timeout 20 " SLUICE_COMMAND " " + command);
    EXPECT_EQ(none.status, 2) << command;
    expect_named(none.text, "no sluice daemon found: tried ");
  }
  ASSERT_EQ(build("-- true").status, 0);
  EXPECT_FALSE(fs::exists(own("group-8.sock")));
  expect_named(answer_of(SLUICE_COMMAND " status").text, "also: ");
  const std::string watched =
      answer_of("timeout 20 " SLUICE_COMMAND " status --watch --every 0.1 | head -n 100").text;
  EXPECT_GE(count(watched, "also     a daemon for one build serves at " + own("alone-x/")), 1u)
      << watched;
  EXPECT_EQ(count(watched, "group-8"), 0u) << watched;
  const std::string json = answer_of(SLUICE_COMMAND " status --json").text;
  const std::size_t field = json.find("\"further_daemons\":[\"" + own(""));
  ASSERT_NE(field, std::string::npos) << json;
  EXPECT_EQ(count(json.substr(field), ".sock\""), 2u) << json;
  const std::string named = answer_of(SLUICE_COMMAND " status --socket " + socket()).text;
  EXPECT_EQ(count(named, "group-7"), 0u) << named;
}

TEST_F(UserDaemon, OfOneBuildTakesItsConfiguration) {
  write_file(work("sluice.yaml"), "window: {initial: 77}\n");
  EXPECT_EQ(build("--alone --config sluice.yaml -- true").status, 0);
  EXPECT_NE(log().find("window 77 points"), std::string::npos) << log();
}

TEST_F(UserDaemon, OfOneBuildThatWasKilledEndsByItself) {
  answer_of("cd " + work("") +
            " && (" SLUICE_COMMAND " build --alone -- sh -c 'kill -9 $PPID' >/dev/null 2>&1)");
  EXPECT_TRUE(eventually([&] { return count(log(), "stopping: unused") == 1; })) << log();
  EXPECT_EQ(build("--alone -- true").status, 0);
  for (const auto& each : fs::directory_iterator(own(""))) {
    EXPECT_FALSE(each.path().filename().string().starts_with("alone-")) << each;
  }
}

TEST_F(UserDaemon, IsNotStartedInAFolderThatIsALink) {
  ASSERT_EQ(answer_of("mkdir -m 700 " + folder.path("elsewhere")).status, 0);
  fs::create_symlink(folder.path("elsewhere"), folder.path("run/sluice"));
  expect_error(build("-- true"), folder.path("run/sluice"), "is not a folder, or a link to one");
  EXPECT_TRUE(fs::is_empty(folder.path("elsewhere")));
}

TEST_F(UserDaemon, IsNotStartedInAFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a folder of another user";
  ASSERT_EQ(answer_of("mkdir -m 700 " + folder.path("run/sluice")).status, 0);
  ASSERT_EQ(chown(folder.path("run/sluice").c_str(), 7, 7), 0);
  expect_error(build("-- true"), folder.path("run/sluice"), "belongs to user 7, not to you (0)");
}

TEST_F(UserDaemon, IsNotBelievedIfItIsAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  // Root trusts root alone; another user serves a socket in root's own folder, whatever let it.
  ASSERT_EQ(answer_of("mkdir -m 700 " + folder.path("run/sluice")).status, 0);
  const std::string serve =
      "import os, socket, time\n"
      "s = socket.socket(socket.AF_UNIX); s.bind('" +
      socket() +
      "')\n"
      "os.setuid(7); s.listen(9); time.sleep(60)\n";
  write_file(work("serve.py"), serve);
  answer_of("(timeout 60 python3 " + work("serve.py") + " >/dev/null 2>&1 &)");
  ASSERT_TRUE(eventually([&] { return fs::exists(socket()); }));
  const Answer asked = answer_of("timeout 20 " SLUICE_COMMAND " status");
  EXPECT_EQ(asked.status, 2) << asked.text;
  EXPECT_NE(asked.text.find("belongs to user 7, who is neither root nor you (0)"),
            std::string::npos)
      << asked.text;
}

TEST_F(UserDaemon, RefusesAnotherUserWhoReachesItsSocket) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  ASSERT_EQ(build("-- true").status, 0);
  // Something has opened the folder and the socket.
  ASSERT_EQ(answer_of("chmod 711 " + own("") + " && chmod 666 " + socket()).status, 0);
  write_file(work("ask.py"),
             "import os, socket, sys\n"
             "os.chdir(sys.argv[1])\n"
             "os.setgroups([])\n"
             "os.setgid(7)\n"
             "os.setuid(7)\n"
             "s = socket.socket(socket.AF_UNIX)\n"
             "s.settimeout(20)\n"
             "s.connect('sluice.sock')\n"
             "s.sendall(b'GET /v1/status HTTP/1.1\\r\\nHost: sluice\\r\\n\\r\\n')\n"
             "print(s.recv(65536))\n");
  const Answer asked = answer_of("python3 " + work("ask.py") + " " + own(""));
  EXPECT_EQ(count(asked.text, "user 7 may not use this daemon"), 1u) << asked.text;
}

TEST_F(UserDaemon, NeedsNoHome) {
  unsetenv("HOME");
  EXPECT_EQ(build("-- echo built").text, "built\n");
  EXPECT_NE(log().find("the history is not kept: $HOME is unset"), std::string::npos);
}

TEST_F(UserDaemon, NeedsNoHomeThatCanBeWritten) {
  write_file(folder.path("file"), "");
  setenv("HOME", folder.path("file").c_str(), 1);  // Also root cannot make a folder below a file.
  EXPECT_EQ(build("-- echo built").text, "built\n");
  EXPECT_NE(log().find("the history is not kept: " + folder.path("file/.local")), std::string::npos)
      << log();
}

TEST_F(UserDaemon, IsInTheFolderForTemporaryFilesWithoutARuntimeFolder) {
  setenv("XDG_RUNTIME_DIR", folder.path("gone").c_str(), 1);
  // In a /tmp of its own, which ends with the command.
  const std::string daemon = "/tmp/sluice-$(id -u)/";
  const Answer built =
      answer_of("unshare -rm sh -c 'mount -t tmpfs none /tmp && timeout 60 " SLUICE_COMMAND
                " build -- echo built; ls -ld " +
                daemon + " | cut -c1-10; cat " + daemon +
                "daemon.log; kill $(sed -n s/x/x/p /dev/null; fuser " + daemon +
                "sluice.sock.lock 2>/dev/null)'");
  if (built.text.find("unshare:") == 0) GTEST_SKIP() << built.text;
  EXPECT_NE(built.text.find("built\ndrwx------\n"), std::string::npos) << built.text;
}

TEST_F(UserDaemon, NamesAnotherFolderWhereItsOwnCannotBeWritten) {
  setenv("XDG_RUNTIME_DIR", folder.path("gone").c_str(), 1);
  const Answer built = answer_of(
      "unshare -rm sh -c 'mount -t tmpfs none /tmp && mkdir -m 700 /tmp/sluice-0 && "
      "mount -o remount,ro /tmp && timeout 60 " SLUICE_COMMAND " build -- echo built'");
  if (built.text.find("unshare:") == 0) GTEST_SKIP() << built.text;
  EXPECT_EQ(built.status, 2);
  EXPECT_EQ(count(built.text,
                  "start.lock: Read-only file system: set XDG_RUNTIME_DIR to a folder of yours"),
            1u)
      << built.text;
  EXPECT_EQ(count(built.text, "remove it"), 0u) << built.text;
}

TEST(DaemonFile, ThatCannotBeOpenedIsToBeRemovedOnlyWhereThatHelps) {
  for (const int error : {ELOOP, EISDIR, EACCES}) {
    EXPECT_TRUE(cli::unopened_file("/f", error).ends_with("remove it")) << error;
  }
  for (const int error : {EROFS, ENOSPC, EDQUOT}) {
    const std::string text = cli::unopened_file("/f", error);
    EXPECT_EQ(text.find("remove"), std::string::npos) << text;
    EXPECT_NE(text.find("set XDG_RUNTIME_DIR"), std::string::npos) << text;
  }
  EXPECT_EQ(cli::unopened_file("/f", EMFILE), "/f: Too many open files");
}

TEST_F(UserDaemon, ServesABuildInAUserNamespaceWhileOthersStartProcesses) {
  // There the kernel sends events of processes and no acknowledgement.
  const Answer built = answer_of(
      "sh -c 'while :; do sleep 0.01; done' & busy=$!; "
      "unshare -rm sh -c 'mount -t tmpfs none /tmp && timeout 20 " SLUICE_COMMAND
      " build -- echo built'; kill $busy");
  if (built.text.find("unshare:") == 0) GTEST_SKIP() << built.text;
  EXPECT_NE(built.text.find("built\n"), std::string::npos) << built.text;
  EXPECT_EQ(built.text.find("not governed"), std::string::npos) << built.text;
}

TEST_F(UserDaemon, ThatCannotStartSaysWhy) {
  write_file(work("bad.yaml"), "window: {law: none}\n");
  const Answer answer = build("--alone --config bad.yaml -- true");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("the daemon did not start: " + work("bad.yaml")), std::string::npos)
      << answer.text;
}

TEST_F(UserDaemon, NamesItsProcessInEachLineOfTheLogThatItSharesWithOthers) {
  EXPECT_EQ(build("-- true").status, 0);
  const pid_t usual = daemon_at(socket());
  ASSERT_GT(usual, 0);
  EXPECT_EQ(build("--alone -- true").status, 0);
  write_file(work("bad.yaml"), "window: {law: none}\n");
  EXPECT_EQ(build("--alone --config bad.yaml -- true").status, 2);
  std::set<std::string> pids;
  std::istringstream lines(log());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find("] ");
    ASSERT_TRUE(line.starts_with('[') && end != line.npos) << line;
    pids.insert(line.substr(1, end - 1));
  }
  EXPECT_EQ(pids.size(), 3u) << log();
  EXPECT_TRUE(pids.contains(std::to_string(usual))) << log();
}

TEST(DaemonEnvironment, HasNothingOfABuild) {
  for (const char* name : {"SLUICE_PERMIT", "SLUICE_SOCKET", "MAKEFLAGS", "CARGO_MAKEFLAGS",
                           "NOTIFY_SOCKET", "STATE_DIRECTORY", "JOURNAL_STREAM"}) {
    EXPECT_TRUE(cli::belongs_to_a_build(name)) << name;
  }
  for (const char* name : {"HOME", "PATH", "LANG", "XDG_STATE_HOME"}) {
    EXPECT_FALSE(cli::belongs_to_a_build(name)) << name;
  }
}

TEST_F(UserDaemon, OfOthersThatRefusesThisUserIsQuoted) {
  write_file(folder.path("serve.py"), R"py(
import json, socket, sys, threading
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(9)
text = json.dumps({"error": {"code": "not_allowed", "message": "user 7 may not use this daemon"}})
def answer(c):
    while c.recv(65536):
        c.sendall(("HTTP/1.1 403 No\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)).encode())
while True:
    threading.Thread(target=answer, args=(s.accept()[0],), daemon=True).start()
)py");
  const std::string socket = folder.path("other.sock");
  answer_of("(timeout 60 python3 " + folder.path("serve.py") + " " + socket +
            " >/dev/null 2>&1 &)");
  ASSERT_TRUE(eventually([&] { return fs::is_socket(socket); }));
  const Answer built = build("--socket " + socket + " -- echo built");
  EXPECT_EQ(built.status, 2);
  EXPECT_EQ(built.text, "sluice build: user 7 may not use this daemon; or build with --alone\n");
  for (const std::string command : {"status", "nproc"}) {
    const Answer asked =
        answer_of("timeout 20 " SLUICE_COMMAND " " + command + " --socket " + socket);
    EXPECT_EQ(count(asked.text, "user 7 may not use this daemon"), 1u) << asked.text;
    EXPECT_EQ(count(asked.text, "{"), 0u) << asked.text;
    EXPECT_NE(asked.status, 0) << command;
  }
}

}  // namespace
}  // namespace sluice::testing
