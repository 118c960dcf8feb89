#include "cli/terminal/non_blocking_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace sluice::cli {
namespace {

class NonBlockingWriterTest : public ::testing::Test {
 protected:
  NonBlockingWriterTest() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~NonBlockingWriterTest() override {
    for (const int end : ends_) close(end);
  }
  std::string read_some() {
    std::string text(1 << 20, '\0');
    text.resize(
        static_cast<std::size_t>(std::max<ssize_t>(0, read(ends_[0], text.data(), text.size()))));
    return text;
  }

  std::array<int, 2> ends_{};
};

TEST_F(NonBlockingWriterTest, IsWrittenAtOnceWhereItIsTaken) {
  NonBlockingWriter text(ends_[1]);
  text.write("one\n");
  EXPECT_TRUE(text.idle());
  EXPECT_EQ(read_some(), "one\n");
}

TEST_F(NonBlockingWriterTest, NeverWaitsForItsReaderAndLosesNothingThatFits) {
  NonBlockingWriter text(ends_[1]);
  std::string all;
  for (int line = 0; line < 20000; ++line) {
    const std::string each = "line " + std::to_string(line) + "\n";
    all += each;
    text.write(each);
  }
  EXPECT_FALSE(text.idle()) << "more than a pipe holds";
  std::string got;
  while (got.size() < all.size()) {
    got += read_some();
    text.pump();
  }
  EXPECT_EQ(got, all);
  EXPECT_TRUE(text.idle());
}

TEST_F(NonBlockingWriterTest, SaysHowMuchWasDroppedForAReaderThatStaysAway) {
  NonBlockingWriter text(ends_[1]);
  const std::string block(1 << 19, 'x');
  for (int i = 0; i < 4; ++i) text.write(block);
  std::string got;
  while (!text.idle()) {
    got += read_some();
    text.pump();
  }
  got += read_some();
  const std::size_t taken = static_cast<std::size_t>(std::count(got.begin(), got.end(), 'x'));
  EXPECT_EQ(taken % block.size(), 0u);
  const std::string said =
      "(" + std::to_string(4 * block.size() - taken) + " bytes dropped here: nobody was reading)\n";
  EXPECT_TRUE(got.ends_with(said)) << got.substr(got.size() - 100);
}

TEST_F(NonBlockingWriterTest, AReaderThatHasGoneIsNotMissed) {
  NonBlockingWriter text(ends_[1]);
  signal(SIGPIPE, SIG_IGN);
  close(ends_[0]);
  text.write("nobody\n");
  EXPECT_TRUE(text.idle());
  ends_[0] = dup(ends_[1]);
}

}  // namespace
}  // namespace sluice::cli
