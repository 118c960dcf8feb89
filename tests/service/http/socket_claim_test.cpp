#include "service/http/socket_claim.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/socket_places.h"
#include "fixture.h"
#include "service/http/tcp_listen.h"

namespace sluice::http {
namespace {
using namespace sluice::testing;

using Taken = std::variant<SocketClaim, std::string>;

Taken take(const std::string& path) {
  return SocketClaim::acquire(path, SocketClaim::Folder::given, getegid());
}

std::string problem(const Taken& taken) {
  const auto* text = std::get_if<std::string>(&taken);
  return text ? *text : "";
}

[[noreturn]] void wait_to_be_killed() {
  while (true) pause();
}

int listen_at(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = *unix_address(path);
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(socket, 1), 0);
  return socket;
}

TEST(SocketClaim, GivesASocketForOwnerAndGroupAndRemovesItAtTheEnd) {
  TemporaryFolder folder;
  const std::string path = folder.path("s");
  const mode_t before = umask(077);
  {
    const Taken taken = take(path);
    ASSERT_TRUE(std::holds_alternative<SocketClaim>(taken)) << problem(taken);
    struct stat there {};
    ASSERT_EQ(stat(path.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 07777, 0660u);
  }
  umask(before);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(SocketClaim, ThatWithdrawsRemovesTheSocketAndKeepsTheLock) {
  TemporaryFolder folder;
  const std::string path = folder.path("sluice.sock");
  const Taken claim = take(path);
  std::get<SocketClaim>(claim).withdraw();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
}

TEST(SocketClaim, RefusesOneThatIsServedNamingTheProcess) {
  TemporaryFolder folder;
  const Taken first = take(folder.path("s"));
  const Taken second = take(folder.path("s"));
  EXPECT_NE(problem(second).find("by process " + std::to_string(getpid())), std::string::npos)
      << problem(second);
  EXPECT_TRUE(std::filesystem::exists(folder.path("s")));
}

TEST(SocketClaim, RefusesAStrangersLiveSocketNamingTheProcess) {
  TemporaryFolder folder;
  const int stranger = listen_at(folder.path("s"));
  EXPECT_NE(problem(take(folder.path("s"))).find("by process " + std::to_string(getpid())),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder.path("s")));
  close(stranger);
}

TEST(SocketClaim, TakesOverAStaleSocket) {
  TemporaryFolder folder;
  close(listen_at(folder.path("s")));
  write_file(folder.path("s.lock"), "");
  EXPECT_EQ(problem(take(folder.path("s"))), "");
}

/// A process that serves the path and is killed, and a process forked from it that has all its
/// descriptors. The destructor kills and reaps it.
class KilledServer {
 public:
  explicit KilledServer(const std::string& path) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t server = fork();
    if (server == 0) serve(path, ends[1]);
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &heir_, sizeof heir_), ssize_t{sizeof heir_});
    close(ends[0]);
    kill(server, SIGKILL);
    waitpid(server, nullptr, 0);
  }
  ~KilledServer() { kill(heir_, SIGKILL); }

 private:
  [[noreturn]] static void serve(const std::string& path, int tell) {
    const Taken taken = take(path);
    const pid_t heir = fork();
    if (heir == 0) wait_to_be_killed();
    [[maybe_unused]] const auto told = write(tell, &heir, sizeof heir);
    wait_to_be_killed();
  }

  pid_t heir_ = 0;
};

TEST(SocketClaim, DiesWithTheDaemonWhateverHasInheritedIt) {
  TemporaryFolder folder;
  const KilledServer killed(folder.path("s"));
  const Taken taken = take(folder.path("s"));
  EXPECT_EQ(problem(taken), "");
}

TEST(SocketClaim, IsKeptByALiveDaemonOfWhichAnotherProcessHasADescriptor) {
  TemporaryFolder folder;
  const Taken first = take(folder.path("s"));
  const pid_t heir = fork();
  if (heir == 0) wait_to_be_killed();
  EXPECT_NE(problem(take(folder.path("s"))), "");
  kill(heir, SIGKILL);
  waitpid(heir, nullptr, 0);
  EXPECT_NE(problem(take(folder.path("s"))), "");
}

TEST(SocketClaim, NeverTouchesWhatIsNoSocket) {
  TemporaryFolder folder;
  write_file(folder.path("s"), "mine");
  EXPECT_NE(problem(take(folder.path("s"))).find("is not a socket"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(folder.path("s")), 4u);
}

TEST(SocketClaim, SaysWhatStandsInTheWay) {
  TemporaryFolder folder;
  EXPECT_NE(problem(take(folder.path("no/such/folder/s"))).find("No such file"), std::string::npos);
  EXPECT_NE(problem(take(folder.path(std::string(200, 'x')))).find("107 bytes"), std::string::npos);
}

TEST(SocketClaim, MakesTheFolderOfTheDefaultPlace) {
  TemporaryFolder folder;
  const Taken taken =
      SocketClaim::acquire(folder.path("new/s"), SocketClaim::Folder::make, getegid());
  EXPECT_EQ(problem(taken), "");
}

TEST(SocketClaim, GivesTheSocketToTheGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file to any group";
  TemporaryFolder folder;
  const Taken taken = SocketClaim::acquire(folder.path("s"), SocketClaim::Folder::given, 4000);
  ASSERT_EQ(problem(taken), "");
  struct stat there {};
  ASSERT_EQ(stat(folder.path("s").c_str(), &there), 0);
  EXPECT_EQ(there.st_gid, 4000u);
  EXPECT_EQ(there.st_uid, geteuid());
  EXPECT_EQ(there.st_mode & 07777, 0660u);
}

TEST(TcpListen, TakesAFreePortAndSaysWhenOneIsTaken) {
  const auto first = listen_tcp("127.0.0.1:0");
  ASSERT_TRUE(std::holds_alternative<int>(first));
  const std::string address = bound_address(std::get<int>(first));
  EXPECT_TRUE(address.starts_with("127.0.0.1:"));
  const auto second = listen_tcp(address);
  ASSERT_TRUE(std::holds_alternative<std::string>(second));
  EXPECT_NE(std::get<std::string>(second).find("Address already in use"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<std::string>(listen_tcp("nonsense")));
  for (const char* port : {"65536", "99999", "4294967297", "-1", "", "80x"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(listen_tcp(std::string("127.0.0.1:") + port)))
        << port;
  }
  close(std::get<int>(first));
}

TEST(TcpListen, EveryAddressIsTakenOnlyWhereItIsNamed) {
  const auto nameless = listen_tcp(":0");
  ASSERT_TRUE(std::holds_alternative<std::string>(nameless));
  EXPECT_NE(std::get<std::string>(nameless).find("0.0.0.0:0 on every address"), std::string::npos);
  const auto here = listen_tcp("127.0.0.1:0");
  ASSERT_TRUE(std::holds_alternative<int>(here));
  EXPECT_FALSE(listens_to_network(std::get<int>(here)));
  close(std::get<int>(here));
  const auto everywhere = listen_tcp("0.0.0.0:0");
  ASSERT_TRUE(std::holds_alternative<int>(everywhere));
  EXPECT_TRUE(listens_to_network(std::get<int>(everywhere)));
  close(std::get<int>(everywhere));
}

}  // namespace
}  // namespace sluice::http
