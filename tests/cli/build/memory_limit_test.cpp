// Which daemon governs a build in a cgroup with a memory limit, in a real one.
#include <signal.h>
#include <sys/resource.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "build_fixture.h"
#include "real_cgroup.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;
namespace json = boost::json;

class LimitedBuild : public BuildFixture {
 protected:
  static constexpr std::int64_t kLimit = 300 << 20;

  void SetUp() override {
    if (!group.problem().empty()) GTEST_SKIP() << group.problem();
    ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(kLimit)));
  }

  /// The group can be removed only once no daemon is in it.
  void TearDown() override {
    for (const std::string& each : sockets()) {
      const pid_t daemon = daemon_at(each);
      if (daemon > 0) kill(daemon, SIGTERM);
      EXPECT_TRUE(eventually([&] { return daemon_at(each) <= 0; }));
    }
  }

  std::vector<std::string> sockets() const {
    std::vector<std::string> found;
    if (!fs::exists(own(""))) return found;
    for (const auto& each : fs::directory_iterator(own(""))) {
      if (each.path().extension() == ".sock") found.push_back(each.path().string());
    }
    return found;
  }

  /// The socket beside the usual one; empty if there is none.
  std::string other_socket() const {
    for (const std::string& each : sockets()) {
      if (each != socket()) return each;
    }
    return "";
  }

  /// `sluice build WORDS` whose own process is in the group.
  Answer build_in_group(const std::string& words) const {
    return answer_of("echo $$ >" + group.folder() + "/cgroup.procs && cd " + work("") +
                     " && timeout 60 " SLUICE_COMMAND " build " + words);
  }

  /// The memory that a daemon governs; it is known after its first look at the machine.
  static std::int64_t limit_of(const std::string& socket) {
    std::int64_t limit = 0;
    EXPECT_TRUE(eventually([&] {
      const Answer answer = answer_of(SLUICE_COMMAND " status --json --socket " + socket);
      const json::value status = json::parse(answer.text);
      boost::system::error_code absent;
      const json::value* const found = status.find_pointer("/status/memory/limit", absent);
      if (found) limit = found->to_number<std::int64_t>();
      return found != nullptr;
    })) << socket;
    return limit;
  }

  RealCgroup group{"memory"};
};

TEST_F(LimitedBuild, HasADaemonOfItsOwnBesideOneThatMayUseMore) {
  ASSERT_EQ(build("-- true").status, 0);
  ASSERT_GT(limit_of(socket()), kLimit);
  const Answer first = build_in_group("-v -- true");
  EXPECT_EQ(first.status, 0) << first.text;
  EXPECT_EQ(count(first.text, "starting a daemon for this memory limit"), 1u) << first.text;
  const std::string own_socket = other_socket();
  ASSERT_NE(own_socket, "");
  EXPECT_LE(limit_of(own_socket), kLimit);
  const pid_t daemon = daemon_at(own_socket);
  EXPECT_EQ(build_in_group("-- true").status, 0);
  EXPECT_EQ(daemon_at(own_socket), daemon);
  EXPECT_EQ(sockets().size(), 2u);
}

TEST_F(LimitedBuild, LeavesNoDaemonWithItsLimitToOtherBuilds) {
  ASSERT_EQ(build_in_group("-- true").status, 0);
  ASSERT_LE(limit_of(socket()), kLimit);
  ASSERT_EQ(build("-- true").status, 0);
  ASSERT_NE(other_socket(), "");
  EXPECT_GT(limit_of(other_socket()), kLimit);
  EXPECT_EQ(build_in_group("-- true").status, 0);
  EXPECT_EQ(sockets().size(), 2u);
}

TEST_F(LimitedBuild, IsWarnedOfADaemonThatDoesNotKnowItsLimit) {
  ASSERT_EQ(build("-- true").status, 0);
  const Answer warned = build_in_group("--socket " + socket() + " -- true");
  EXPECT_EQ(warned.status, 0) << warned.text;
  EXPECT_EQ(count(warned.text, "this build may use 300.0 MiB (" + group.folder() + "), which"), 1u)
      << warned.text;
  EXPECT_EQ(count(warned.text, "build with --alone"), 1u) << warned.text;
  EXPECT_EQ(build("--socket " + socket() + " -- true").text, "");
}

TEST_F(LimitedBuild, RemovesTheSocketOfAKilledDaemonOfAnotherGroup) {
  ASSERT_EQ(build("-- true").status, 0);
  ASSERT_EQ(build_in_group("-- true").status, 0);
  const std::string killed = other_socket();
  ASSERT_GT(daemon_at(killed), 0);
  for (const std::string& each : {killed, socket()}) {
    kill(daemon_at(each), SIGKILL);
    ASSERT_TRUE(eventually([&] { return daemon_at(each) == 0; }));
  }
  ASSERT_EQ(build("-- true").status, 0);
  EXPECT_EQ(other_socket(), "");
  EXPECT_FALSE(fs::exists(killed + ".lock"));
}

TEST_F(BuildFixture, StartsADaemonThatIsNotAsNiceAsTheBuild) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to lower a nice value";
  ASSERT_EQ(answer_of("cd " + work("") + " && nice -n 7 " SLUICE_COMMAND " build -- true").status,
            0);
  const auto daemon = static_cast<id_t>(daemon_at(socket()));
  errno = 0;
  EXPECT_EQ(getpriority(PRIO_PROCESS, daemon), 0);
  EXPECT_EQ(errno, 0);
}

}  // namespace
}  // namespace sluice::testing
