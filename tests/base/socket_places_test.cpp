#include "base/socket_places.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/user_folder.h"

namespace sluice {
namespace {

using Places = std::vector<std::string>;

class SocketPlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("SLUICE_SOCKET");
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  }
  void TearDown() override { unsetenv("SLUICE_SOCKET"); }
};

TEST_F(SocketPlaces, AServerTakesTheFirstThatSpeaks) {
  EXPECT_EQ(server_place("", "").path,
            geteuid() == 0 ? "/run/sluice/sluice.sock" : "/run/user/7/sluice.sock");
  EXPECT_TRUE(server_place("", "").is_default);
  EXPECT_EQ(server_place("", "/c").path, "/c");
  setenv("SLUICE_SOCKET", "/e", 1);
  EXPECT_EQ(server_place("", "/c").path, "/e");
  EXPECT_EQ(server_place("/o", "/c").path, "/o");
  EXPECT_FALSE(server_place("/o", "/c").is_default);
}

TEST_F(SocketPlaces, AClientLooksInBothDefaultsUnlessTold) {
  Places both{"/run/sluice/sluice.sock", "/run/user/7/sluice.sock"};
  // A daemon that was started for this user may be there, too: see user_folder_test.
  const std::string started = trusted_user_daemon_socket();
  if (!started.empty()) both.push_back(started);
  EXPECT_EQ(client_places(""), both);
  unsetenv("XDG_RUNTIME_DIR");
  both.erase(both.begin() + 1);
  EXPECT_EQ(client_places(""), both);
  setenv("SLUICE_SOCKET", "/e", 1);
  EXPECT_EQ(client_places(""), Places{"/e"});
  EXPECT_EQ(client_places("/o"), Places{"/o"});
}

TEST_F(SocketPlaces, APathMustFit) {
  EXPECT_TRUE(unix_address(std::string(107, 'x')));
  EXPECT_FALSE(unix_address(std::string(108, 'x')));
  EXPECT_FALSE(unix_address(""));
}

}  // namespace
}  // namespace sluice
