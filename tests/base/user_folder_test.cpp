#include "base/user_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/socket_places.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

class UserFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path().string() + "/sluice-user-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    place = pattern;
  }
  void TearDown() override {
    fs::remove_all(place);
    unsetenv("XDG_RUNTIME_DIR");
  }

  std::string in(const std::string& name) const { return place + "/" + name; }

  /// What is wrong with a folder; empty if it is private.
  static std::string flaw(const std::string& path) {
    const auto opened = PrivateFolder::open(path);
    const auto* problem = std::get_if<std::string>(&opened);
    return problem ? *problem : "";
  }

  static void expect_flaw(const std::string& path, const std::string& text) {
    EXPECT_NE(flaw(path).find(text), std::string::npos) << flaw(path);
    EXPECT_NE(flaw(path).find(path), std::string::npos) << "names the folder";
    EXPECT_NE(flaw(path).find("XDG_RUNTIME_DIR"), std::string::npos) << "says what to do";
  }

  std::string place;
};

TEST_F(UserFolder, IsMadeForItsUserAlone) {
  EXPECT_EQ(flaw(in("new")), "");
  struct stat facts {};
  ASSERT_EQ(stat(in("new").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
  EXPECT_EQ(flaw(in("new")), "") << "the second time";
}

TEST_F(UserFolder, IsRefusedWhereOthersCanEnterIt) {
  fs::create_directory(in("open"));
  chmod(in("open").c_str(), 0750);
  expect_flaw(in("open"), "is open to other users: run `chmod 700 ");
}

TEST_F(UserFolder, IsRefusedIfItIsALinkOrAFile) {
  fs::create_directory(in("real"));
  chmod(in("real").c_str(), 0700);
  fs::create_symlink(in("real"), in("link"));
  expect_flaw(in("link"), "is not a folder, or a link to one");
  std::ofstream(in("file")) << "x";
  expect_flaw(in("file"), "is not a folder, or a link to one");
}

TEST_F(UserFolder, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a folder of another user";
  fs::create_directory(in("theirs"));
  chmod(in("theirs").c_str(), 0700);
  ASSERT_EQ(chown(in("theirs").c_str(), 7, 7), 0);
  expect_flaw(in("theirs"), "belongs to user 7, not to you (0)");
}

TEST_F(UserFolder, LiesInTheRuntimeFolderIfThatIsTheUsersAlone) {
  const uid_t user = geteuid();
  const auto first = [&](const std::string& runtime, uid_t of) {
    return user_folder_candidates({runtime, ""}, in("common"), of).front();
  };
  chmod(place.c_str(), 0700);
  EXPECT_EQ(first(place, user), place + "/sluice");
  EXPECT_NE(first(place, user + 1), place + "/sluice") << "of another user";
  EXPECT_NE(first(in("gone"), user), in("gone") + "/sluice");
  EXPECT_NE(first("relative", user), "relative/sluice");
  EXPECT_NE(first(place + std::string(100, '/'), user), place + "/sluice") << "too long";
  chmod(place.c_str(), 0770);
  EXPECT_NE(first(place, user), place + "/sluice") << "others may replace what is in it";
  EXPECT_EQ(user_folder_candidates({}, in("common"), user).back(), in("common"));
}

TEST_F(UserFolder, LiesInTheHomeIfAnotherUserHasTakenItsNameInTmp) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a folder of another user";
  const auto has_home = [&] {
    const auto folders = user_folder_candidates({"", place}, in("common"), geteuid());
    return std::ranges::count(folders, place + "/.sluice") > 0;
  };
  chmod(place.c_str(), 0700);
  EXPECT_FALSE(has_home()) << "the name is free";
  fs::create_directory(in("common"));
  EXPECT_FALSE(has_home()) << "it is the user's";
  ASSERT_EQ(chown(in("common").c_str(), 7, 7), 0);
  EXPECT_TRUE(has_home());
  fs::remove(in("common"));
  EXPECT_FALSE(has_home());
  ASSERT_EQ(flaw(in(".sluice")), "");
  EXPECT_TRUE(has_home()) << "a daemon may run there";
  chmod(place.c_str(), 0777);
  EXPECT_FALSE(has_home()) << "others may replace what is in it";
}

TEST_F(UserFolder, HasTheSocketWhereClientsLookLast) {
  unsetenv("SLUICE_SOCKET");
  setenv("XDG_RUNTIME_DIR", place.c_str(), 1);
  EXPECT_EQ(client_places("").back(), place + "/sluice.sock") << "no folder yet";
  ASSERT_EQ(flaw(user_folder()), "");
  EXPECT_EQ(client_places("").back(), place + "/sluice/sluice.sock");
  chmod(user_folder().c_str(), 0770);
  EXPECT_EQ(client_places("").back(), place + "/sluice.sock") << "anybody may have made the socket";
}

}  // namespace
}  // namespace sluice
