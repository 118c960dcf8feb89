#include "sensors/files/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host_trees.h"

namespace sluice {
namespace {

std::string text_of(KeptFile& file) {
  const auto text = file.read();
  return value_in(text) ? std::string(*value_in(text)) : "failed: " + failure_in(text).what;
}

TEST(KeptFile, ReadsWhatTheFileHoldsNow) {
  const TemporaryTree tree{{"/a", "one"}};
  KeptFile file(tree.at("/a"));
  EXPECT_EQ(text_of(file), "one");
  tree.write("/a", "the second");
  EXPECT_EQ(text_of(file), "the second");
  tree.write("/a", "");
  EXPECT_EQ(text_of(file), "");
}

TEST(KeptFile, GrowsWithTheFileUpToItsMost) {
  const TemporaryTree tree;
  KeptFile file(tree.at("/a"));
  tree.write("/a", std::string(1024, 'x'));
  EXPECT_EQ(text_of(file).size(), 1024u);
  tree.write("/a", std::string(kMostFileBytes, 'x'));
  EXPECT_EQ(text_of(file).size(), kMostFileBytes);
  tree.write("/a", std::string(kMostFileBytes + 1, 'x'));
  EXPECT_EQ(text_of(file), "failed: " + tree.at("/a") + ": File too large");
  tree.write("/a", "small again");
  EXPECT_EQ(text_of(file), "small again");
}

TEST(KeptFile, NamesThePathAndTheReasonAndFindsTheFileOnceItIsThere) {
  const TemporaryTree tree;
  KeptFile file(tree.at("/a"));
  EXPECT_EQ(text_of(file), "failed: " + tree.at("/a") + ": No such file or directory");
  EXPECT_TRUE(file.is_absent());
  tree.write("/a", "here");
  EXPECT_EQ(text_of(file), "here");
  EXPECT_FALSE(file.is_absent());
}

TEST(KeptFile, ARecordThatOutgrowsItsBufferIsReadWhole) {
  const TemporaryTree tree({{"/a", "1"}});
  KeptFile file(tree.at("/a"), kMostFileBytes, KeptFile::Content::one_record);
  EXPECT_EQ(text_of(file), "1");
  tree.write("/a", std::string(10'000, 'x'));
  EXPECT_EQ(text_of(file), std::string(10'000, 'x'));
}

TEST(KeptFile, NeitherAFolderNorAFifoHangsIt) {
  const TemporaryTree tree{{"/folder/x", ""}};
  KeptFile folder(tree.at("/folder"));
  EXPECT_EQ(text_of(folder), "failed: " + tree.at("/folder") + ": Is a directory");
  ASSERT_EQ(::mkfifo(tree.at("/fifo").c_str(), 0600), 0);
  KeptFile fifo(tree.at("/fifo"));
  EXPECT_NE(text_of(fifo).find("failed: "), std::string::npos);
}

TEST(KeptFile, KeepsReadingAfterItWasMoved) {
  const TemporaryTree tree{{"/a", "one"}, {"/b", "two"}};
  KeptFile first(tree.at("/a"));
  EXPECT_EQ(text_of(first), "one");
  KeptFile moved(std::move(first));
  EXPECT_EQ(text_of(moved), "one");
  moved = KeptFile(tree.at("/b"));
  EXPECT_EQ(text_of(moved), "two");
}

TEST(KeptFile, ReadsFilesOfTheKernelAgainAndAgain) {
  KeptFile file("/proc/self/stat");
  const std::string first = text_of(file);
  EXPECT_EQ(first.find("failed"), std::string::npos) << first;
  EXPECT_EQ(text_of(file).substr(0, 8), first.substr(0, 8));
}

TEST(ReadOnce, SeesAFileThatWasReplacedByRenaming) {
  const TemporaryTree tree{{"/a", "old"}, {"/b", "new"}};
  EXPECT_EQ(*value_in(read_once(tree.at("/a"))), "old");
  ASSERT_EQ(::rename(tree.at("/b").c_str(), tree.at("/a").c_str()), 0);
  EXPECT_EQ(*value_in(read_once(tree.at("/a"))), "new");
}

TEST(ErrorText, SaysThatPressureIsSwitchedOff) {
  EXPECT_EQ(error_text(EOPNOTSUPP), "not supported (EOPNOTSUPP): switched off in this kernel");
}

}  // namespace
}  // namespace sluice
