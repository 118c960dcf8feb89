#include "service/daemon/sd_notify.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"
#include "notify_listener.h"

namespace sluice::testing {
namespace {

TEST(ServiceManager, IsToldOverItsSocket) {
  TemporaryFolder folder;
  for (const std::string& name :
       {folder.path("notify"), "@sluice-test-" + std::to_string(getpid())}) {
    const NotifyListener listener(name);
    const ServiceManager manager(name);
    manager.ready("serving");
    EXPECT_EQ(listener.take(), "READY=1\nSTATUS=serving");
    manager.ping_watchdog();
    EXPECT_EQ(listener.take(), "WATCHDOG=1");
    manager.reloading();
    EXPECT_TRUE(listener.take().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    manager.draining("2 jobs", std::chrono::seconds(30));
    EXPECT_EQ(listener.take(), "STOPPING=1\nSTATUS=2 jobs\nEXTEND_TIMEOUT_USEC=30000000");
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
  const NotifyListener listener(folder.path("notify"));
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
