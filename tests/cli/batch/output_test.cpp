#include "cli/batch/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {
namespace {
using Order = BatchOutput::Order;
using OutputLines = BatchOutput::Lines;

/// Captures writes to a descriptor during its lifetime.
class Caught {
 public:
  explicit Caught(int descriptor) : descriptor_(descriptor), kept_(dup(descriptor)) {
    std::string pattern = std::filesystem::temp_directory_path() / "sluice-caught-XXXXXX";
    file_ = mkostemp(pattern.data(), O_CLOEXEC);
    unlink(pattern.c_str());
    dup2(file_, descriptor_);
  }
  ~Caught() {
    dup2(kept_, descriptor_);
    close(kept_);
    close(file_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  std::string text() const {
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  int descriptor_, kept_, file_ = -1;
};

/// Records each write to standard output during its lifetime: a pipe that keeps writes apart.
class RecordedWrites {
 public:
  RecordedWrites() : kept_(dup(STDOUT_FILENO)) {
    EXPECT_EQ(pipe2(ends_.data(), O_DIRECT | O_CLOEXEC), 0);
    dup2(ends_[1], STDOUT_FILENO);
  }
  ~RecordedWrites() {
    dup2(kept_, STDOUT_FILENO);
    for (const int each : {ends_[0], ends_[1], kept_}) close(each);
  }
  RecordedWrites(const RecordedWrites&) = delete;
  RecordedWrites& operator=(const RecordedWrites&) = delete;

  /// Those since the last call.
  std::vector<std::string> take() const {
    std::vector<std::string> writes;
    for (pollfd ready{ends_[0], POLLIN, 0}; poll(&ready, 1, 0) > 0;) {
      std::string text(PIPE_BUF, '\0');
      const ssize_t size = read(ends_[0], text.data(), text.size());
      text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      writes.push_back(std::move(text));
    }
    return writes;
  }

 private:
  std::array<int, 2> ends_{};
  int kept_;
};

constexpr std::string_view kLive = "jobs 3 of 9 done\nwindow 20\n";

void show_live(LiveScreen& screen) { screen.show({"jobs 3 of 9 done", "window 20"}); }

/// The writes without the live lines and the sequences that erase them.
std::string text_of(const std::vector<std::string>& writes) {
  const std::string erased = "\x1b[2A\x1b[K\n\x1b[K\n\x1b[2A";
  std::string all;
  for (const std::string& each : writes) all += each;
  for (const std::string_view ours : {std::string_view(erased), kLive}) {
    for (auto at = all.find(ours); at != std::string::npos; at = all.find(ours)) {
      all.erase(at, ours.size());
    }
  }
  return all;
}

JobStreams said(const std::string& output, const std::string& error = "") {
  NamelessFiles files;
  JobStreams streams = JobStreams::make(files);
  EXPECT_EQ(write(streams.output->descriptor(), output.data(), output.size()),
            static_cast<ssize_t>(output.size()));
  EXPECT_EQ(write(streams.error->descriptor(), error.data(), error.size()),
            static_cast<ssize_t>(error.size()));
  return streams;
}

TEST(BatchOutput, AsTheyEndEachJobIsWhole) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::plain);
  output.add(2, said("2a\n2b\n"), "");
  output.add_text("between\n");
  output.add(1, said("1\n"), "");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "2a\n2b\nbetween\n1\n");
}

TEST(BatchOutput, InTheOrderGivenAJobWaitsForThoseBeforeIt) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_given, OutputLines::plain);
  output.add(3, said("3\n"), "");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "");
  output.add(1, said("1\n"), "");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "1\n") << "2 has neither ended nor been left out";
  output.skip(2);
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "1\n3\n");
}

TEST(BatchOutput, WhatIsHeldComesOutAtTheEnd) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_given, OutputLines::plain);
  output.add(5, said("5\n"), "");
  output.add(3, said("3\n"), "");
  output.close();
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "3\n5\n");
}

TEST(BatchOutput, ManyHeldJobsShareOneFileAndLoseNothing) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_given, OutputLines::plain);
  std::string expected;
  for (std::size_t seq = 300; seq > 1; --seq) {
    output.add(seq, said(std::string(seq, 'a') + "\n"), "");
  }
  output.add(1, said("a\n"), "");
  for (std::size_t seq = 1; seq <= 300; ++seq) expected += std::string(seq, 'a') + "\n";
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), expected);
  EXPECT_TRUE(output.idle());
}

TEST(BatchOutput, TheTwoStreamsStayApart) {
  const Caught out(STDOUT_FILENO);
  const Caught err(STDERR_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::plain);
  output.add(1, said("out\n", "err\n"), "");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(out.text(), "out\n");
  EXPECT_EQ(err.text(), "err\n");
}

TEST(BatchOutput, ATagIsInFrontOfEachLineAlsoAcrossChunks) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::tagged);
  const std::string large(70'000, 'x');
  output.add(1, said("a\nb\n"), "one");
  output.add(2, said(large + "\n\n"), "two");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "one\ta\none\tb\ntwo\t" + large + "\ntwo\t\n");
}

TEST(BatchOutput, ATaggedLineIsEndedWhereItsJobLeftItOpen) {
  const Caught out(STDOUT_FILENO);
  const Caught err(STDERR_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::tagged);
  const std::string large(70'000, 'x');
  output.add(1, said("a\nb", "e"), "one");
  output.add(2, said(large, "f\n"), "two");
  output.add(3, said("c\n\n", ""), "three");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(out.text(), "one\ta\none\tb\ntwo\t" + large + "\nthree\tc\nthree\t\n")
      << "and no line is added where the last one has an end";
  EXPECT_EQ(err.text(), "one\te\ntwo\tf\n");
}

TEST(BatchOutput, WithoutATagTheBytesAreTheJobsOwn) {
  const Caught caught(STDOUT_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::plain);
  output.add(1, said("a\nb"), "one");
  output.add(2, said("c"), "two");
  EXPECT_TRUE(output.pump());
  EXPECT_EQ(caught.text(), "a\nbc");
}

TEST(BatchOutput, EachWriteThatErasesTheLiveLinesDrawsThemAgain) {
  std::string many;
  for (int line = 0; line < 1'000; ++line) many += "line " + std::to_string(line) + "\n";
  std::vector<std::string> writes;
  bool pumped = false;
  {
    const RecordedWrites recorded;
    LiveScreen screen(STDOUT_FILENO);
    BatchOutput output(Order::as_they_end, OutputLines::plain);
    show_live(screen);
    output.add(1, said(many), "");
    output.add(2, said("left open"), "");
    output.add(3, said("3\n"), "");
    pumped = output.pump(&screen);
    screen.restore();
    writes = recorded.take();
  }
  EXPECT_TRUE(pumped);
  EXPECT_GT(writes.size(), 4u) << "the first job says more than fits into one write";
  for (const std::string& each : writes) EXPECT_TRUE(each.ends_with(kLive)) << each;
  EXPECT_EQ(text_of(writes), many + "left open\n3\n")
      << "an open line ends with its job, as the live lines would erase it";
}

TEST(BatchOutput, NothingIsDrawnWithinALineThatIsLongerThanAWrite) {
  const std::string large(10'000, 'x');
  std::vector<std::string> within, rest;
  {
    const RecordedWrites recorded;
    LiveScreen screen(STDOUT_FILENO);
    show_live(screen);
    recorded.take();
    screen.pass(large.substr(0, 2'000));
    show_live(screen);
    screen.restore();
    within = recorded.take();
    BatchOutput output(Order::as_they_end, OutputLines::plain);
    output.add(1, said(large + "\n2\n"), "");
    output.pump(&screen);
    rest = recorded.take();
  }
  EXPECT_EQ(within.size(), 1u) << "the lines are neither shown nor restored";
  EXPECT_EQ(text_of(within), large.substr(0, 2'000));
  EXPECT_EQ(text_of(rest), large + "\n2\n");
  ASSERT_FALSE(rest.empty());
  EXPECT_TRUE(rest.back().ends_with(kLive));
}

TEST(BatchOutput, TheLiveLinesStayWhileTheOutputGoesToAFile) {
  std::vector<std::string> writes;
  std::string text;
  {
    const RecordedWrites recorded;
    const int terminal = dup(STDOUT_FILENO);
    LiveScreen screen(terminal);
    show_live(screen);
    recorded.take();
    const Caught caught(STDOUT_FILENO);
    BatchOutput output(Order::as_they_end, OutputLines::plain);
    output.add(1, said("1\nleft open"), "");
    output.pump(&screen);
    text = caught.text();
    writes = recorded.take();
    close(terminal);
  }
  EXPECT_EQ(text, "1\nleft open");
  EXPECT_EQ(writes, std::vector<std::string>{});
}

TEST(BatchOutput, ASlowReaderIsNotWaitedFor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int kept = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  BatchOutput output(Order::as_they_end, OutputLines::plain);
  output.add(1, said(std::string(1 << 20, 'x')), "");
  const bool pumped = output.pump();
  const int blocked = output.blocked_on();
  dup2(kept, STDOUT_FILENO);
  EXPECT_TRUE(pumped);
  EXPECT_FALSE(output.idle());
  EXPECT_EQ(blocked, STDOUT_FILENO);
  for (const int each : {ends[0], ends[1], kept}) close(each);
}

TEST(JobStreams, TheLastWordsAreThoseOfTheErrorStreamIfItHasAny) {
  EXPECT_EQ(said("ready\ndone\n", "\nwarning\nno such header\n\n").last_words(), "no such header");
  EXPECT_EQ(said("one\ntwo").last_words(), "two");
  EXPECT_EQ(said("", " \n").last_words(), "");
  EXPECT_EQ(said(std::string(10'000, '\n') + "\x1b[31mred").last_words().find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
