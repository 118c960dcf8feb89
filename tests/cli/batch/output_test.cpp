#include "cli/batch/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

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
