// Which daemons a command believes, and what it lets them set.
#include "client/peer_trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contents.h"
#include "fixture.h"
#include "shell.h"

namespace sluice::testing {
namespace {

constexpr uid_t kNobody = 65534;

TEST(PeerTrust, IsInRootOneselfAndWhomRootInstalled) {
  EXPECT_TRUE(is_believable({.user = 0, .asker = 1000, .installed = std::nullopt}));
  EXPECT_TRUE(is_believable({.user = 1000, .asker = 1000, .installed = std::nullopt}));
  EXPECT_FALSE(is_believable({.user = 1001, .asker = 1000, .installed = std::nullopt}));
  EXPECT_FALSE(is_believable({.user = 1001, .asker = 0, .installed = std::nullopt}));
  EXPECT_TRUE(is_believable({.user = 998, .asker = 1000, .installed = 998}));
  EXPECT_FALSE(is_believable({.user = 1001, .asker = 1000, .installed = 998}));
}

/// A daemon of another user that admits every job and has its command preload a library.
class FakeDaemon : public ::testing::Test {
 protected:
  FakeDaemon() {
    for (const char* name : {"SLUICE_SOCKET", "SLUICE_PERMIT", "SLUICE_PERMIT_SOCKET"}) {
      unsetenv(name);
    }
    chmod(folder_.path("").c_str(), 0755);
    setenv("XDG_RUNTIME_DIR", folder_.path("run").c_str(), 1);
  }
  ~FakeDaemon() override { unsetenv("XDG_RUNTIME_DIR"); }

  void serve_as(uid_t user) {
    ASSERT_EQ(mkdir(folder_.path("run").c_str(), 0700), 0);
    ASSERT_EQ(chown(folder_.path("run").c_str(), user, user), 0);
    write_file(folder_.path("serve.py"), R"py(
import json, os, socket, sys, threading
os.setuid(int(sys.argv[2]))
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(9)
job = {"id": "j", "number": 1, "state": "running", "permit": "1.x", "cost": 1, "nice": None,
       "refusal": None, "prediction": None,
       "environment": {"EVIL": "yes", "LD_PRELOAD": "/evil.so", "SLUICE_RM_PORTS_ITEMS": "p1"}}
def answer(c):
    while c.recv(65536):
        text = json.dumps(job)
        c.sendall(("HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)).encode())
while True:
    threading.Thread(target=answer, args=(s.accept()[0],), daemon=True).start()
)py");
    answer_of("(timeout 60 python3 " + folder_.path("serve.py") + " " + socket() + " " +
              std::to_string(user) + " >/dev/null 2>&1 &)");
    ASSERT_TRUE(eventually([&] { return answer_of("test -S " + socket()).status == 0; }));
  }

  std::string socket() const { return folder_.path("run/sluice.sock"); }

  Answer run(const std::string& options) const {
    return answer_of("timeout 20 " SLUICE_COMMAND " run " + options +
                     " -- sh -c 'echo evil=$EVIL$LD_PRELOAD items=$SLUICE_RM_PORTS_ITEMS'");
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(FakeDaemon, OfAnotherUserIsNotBelievedWhereNobodyNamedIt) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  serve_as(kNobody);
  const Answer answer = run("");
  EXPECT_EQ(answer.text.find("evil="), std::string::npos) << "it ran: " << answer.text;
  EXPECT_NE(answer.text.find("belongs to user 65534, who is neither root nor you (0)"),
            std::string::npos)
      << answer.text;
}

TEST_F(FakeDaemon, SetsNothingButTheItemsEvenWhereItIsNamed) {
  serve_as(geteuid());
  const Answer answer = run("--socket " + socket());
  EXPECT_NE(answer.text.find("evil= items=p1\n"), std::string::npos) << answer.text;
  EXPECT_NE(answer.text.find("may not set for a command: EVIL, LD_PRELOAD;"), std::string::npos)
      << answer.text;
}

}  // namespace
}  // namespace sluice::testing
