#include "cli/batch/nameless_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace sluice::cli {
namespace {

ino_t inode_of(const NamelessFile& file) {
  struct stat status {};
  EXPECT_EQ(fstat(file.descriptor(), &status), 0);
  return status.st_ino;
}

TEST(NamelessFiles, OneThatItsWriterHasClosedIsUsedAgainEmpty) {
  NamelessFiles files;
  auto file = files.make();
  const ino_t first = inode_of(*file);
  EXPECT_EQ(write(file->open_writer(), "abc", 3), 3);
  EXPECT_EQ(file->size(), 3u);
  file.reset();
  file = files.make();
  EXPECT_EQ(inode_of(*file), first);
  EXPECT_EQ(file->size(), 0u);
  EXPECT_EQ(write(file->open_writer(), "de", 2), 2);
  EXPECT_EQ(file->size(), 2u);
}

TEST(NamelessFiles, OneToWhichAProcessMayStillWriteIsNotUsedAgain) {
  NamelessFiles files;
  auto file = files.make();
  const ino_t first = inode_of(*file);
  const int left_behind = dup(file->open_writer());
  file->close_writer();
  file.reset();
  file = files.make();
  EXPECT_NE(inode_of(*file), first);
  EXPECT_EQ(write(left_behind, "late", 4), 4);
  EXPECT_EQ(file->size(), 0u);
  close(left_behind);
}

TEST(NamelessFiles, AFileOutlivesThem) {
  auto files = std::make_unique<NamelessFiles>();
  const auto file = files->make();
  files.reset();
  EXPECT_EQ(write(file->open_writer(), "abc", 3), 3);
  EXPECT_EQ(file->size(), 3u);
}

}  // namespace
}  // namespace sluice::cli
