#include "base/file_contents.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/descriptors.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

class FileContents : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path().string() + "/sluice-contents-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string folder;
};

TEST_F(FileContents, AreWholeHoweverLong) {
  const std::string path = folder + "/file";
  for (const std::string& text :
       {std::string(), std::string("a\0b\n", 4), std::string(100'000, 'x')}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(file_contents(path), text);
  }
}

TEST_F(FileContents, AreReadUpToALimit) {
  const std::string path = folder + "/file";
  std::ofstream(path, std::ios::binary) << std::string(100'000, 'x');
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_up_to(file.get(), 40'000), std::string(40'000, 'x'));
  EXPECT_EQ(read_up_to(file.get(), 80'000), std::string(60'000, 'x')) << "no more is there";
  EXPECT_EQ(read_up_to(file.get(), 1), "");
}

TEST_F(FileContents, ThatCannotBeReadHaveAReason) {
  EXPECT_FALSE(file_contents(folder + "/missing"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(file_contents(folder));
  EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace sluice
