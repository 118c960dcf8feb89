#include "service/sd_notify.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fixture.h"

namespace sluice::testing {
namespace {

/// A service manager's end of the protocol.
class Listener {
 public:
  explicit Listener(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
  }
  ~Listener() { close(socket_); }

  std::string take() const {
    char text[512];
    const ssize_t got = recv(socket_, text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? std::string() : std::string(text, static_cast<std::size_t>(got));
  }

 private:
  int socket_;
};

TEST(ServiceManager, IsToldOverItsSocket) {
  TemporaryFolder folder;
  for (const std::string& name :
       {folder.path("notify"), "@sluice-test-" + std::to_string(getpid())}) {
    const Listener listener(name);
    const ServiceManager manager(name);
    manager.ready("serving");
    EXPECT_EQ(listener.take(), "READY=1\nSTATUS=serving");
    manager.alive();
    EXPECT_EQ(listener.take(), "WATCHDOG=1");
    manager.reloading();
    EXPECT_TRUE(listener.take().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    manager.stopping();
    EXPECT_EQ(listener.take(), "STOPPING=1");
  }
}

TEST(ServiceManager, MayBeMissing) {
  ServiceManager("").ready("x");
  ServiceManager("/nonexistent/socket").ready("x");
  ServiceManager(std::string(300, 'x')).ready("x");
}

TEST(Watchdog, IsFedTwiceInItsTimeIfItIsOurs) {
  unsetenv("WATCHDOG_PID");
  setenv("WATCHDOG_USEC", "30000000", 1);
  EXPECT_EQ(watchdog_period(), std::chrono::seconds(15));
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(watchdog_period(), std::chrono::seconds(15));
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(watchdog_period());
  unsetenv("WATCHDOG_PID");
  setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_FALSE(watchdog_period());
  unsetenv("WATCHDOG_USEC");
  EXPECT_FALSE(watchdog_period());
}

TEST(ServiceManager, HearsOfTheLifeOfADaemon) {
  TemporaryFolder folder;
  const Listener listener(folder.path("notify"));
  setenv("NOTIFY_SOCKET", folder.path("notify").c_str(), 1);
  setenv("WATCHDOG_USEC", "10000", 1);
  std::string heard;
  const auto hears = [&](const char* what) {
    return eventually([&] {
      if (const std::string said = listener.take(); !said.empty()) heard += said + "\n";
      return heard.find(what) != std::string::npos;
    });
  };
  {
    RunningDaemon daemon;
    EXPECT_TRUE(hears("READY=1"));
    EXPECT_TRUE(hears("WATCHDOG=1\nWATCHDOG=1"));
    daemon.ask("POST", "/v1/reload");
    EXPECT_TRUE(hears("RELOADING=1"));
    daemon.stop();
    EXPECT_TRUE(hears("STOPPING=1"));
  }
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
}

}  // namespace
}  // namespace sluice::testing
