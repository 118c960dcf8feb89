#include "record/segment_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "record_folder.h"
#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

class SegmentWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<SegmentWriter> open(const Limits& limits = {}) const {
    auto opened = RecordFolder::open_to_write(path_);
    if (const auto* problem = std::get_if<std::string>(&opened)) {
      ADD_FAILURE() << *problem;
      return nullptr;
    }
    return std::make_unique<SegmentWriter>(std::move(std::get<RecordFolder>(opened)), limits,
                                           SegmentStart{"1.2.3", "boot"});
  }
  std::string problem() const {
    const auto opened = RecordFolder::open_to_write(path_);
    const auto* problem = std::get_if<std::string>(&opened);
    return problem ? *problem : "";
  }
  static mode_t mode_of(const std::string& path) {
    struct stat facts {};
    return lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
  }
  /// Entries that hardly compress: a block of about `bytes`.
  std::vector<Timed> bulk(std::size_t bytes, TimePoint at) {
    std::string text(bytes, '\0');
    for (char& each : text) each = static_cast<char>(random_());
    return {{at, DaemonEvent{"operated", {text}}}};
  }

  Folder folder_;
  const std::string path_ = folder_.path("record");
  std::mt19937 random_{1};
};

TEST_F(SegmentWriterTest, MakesAFolderAndFilesThatNobodyElseReads) {
  umask(0);
  const auto writer = open();
  ASSERT_EQ(writer->append(one_of_each(), clocks(12s)), std::nullopt);
  EXPECT_EQ(mode_of(path_), 0700U);
  EXPECT_EQ(mode_of(path_ + "/0000000001.srec"), 0600U);
  EXPECT_EQ(mode_of(path_ + "/lock"), 0600U);
  EXPECT_EQ(entries_in(path_).size(), one_of_each().size() - 1);
}

TEST_F(SegmentWriterTest, ASegmentAppearsWithItsFirstBlock) {
  const auto writer = open();
  std::ofstream(path_ + "/0000000001.srec.new") << "left by a daemon that was killed";
  const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(events, path_.c_str(), IN_CREATE | IN_MOVED_TO), 0);
  ASSERT_EQ(writer->append(one_of_each(), clocks(12s)), std::nullopt);
  alignas(inotify_event) char bytes[4096];
  ASSERT_GT(::read(events, bytes, sizeof bytes), 0);
  close(events);
  const auto* event = reinterpret_cast<const inotify_event*>(bytes);
  EXPECT_EQ(std::string(event->name), "0000000001.srec");
  EXPECT_EQ(event->mask, static_cast<std::uint32_t>(IN_MOVED_TO));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/0000000001.srec.new"));
  EXPECT_EQ(entries_in(path_).size(), one_of_each().size() - 1);
}

TEST_F(SegmentWriterTest, ClosesAFolderThatOthersCouldRead) {
  std::filesystem::create_directory(path_);
  chmod(path_.c_str(), 0755);
  open();
  EXPECT_EQ(mode_of(path_), 0700U);
}

TEST_F(SegmentWriterTest, FollowsNoLink) {
  std::filesystem::create_directory(folder_.path("elsewhere"));
  std::filesystem::create_symlink(folder_.path("elsewhere"), path_);
  EXPECT_NE(problem(), "");
  std::filesystem::remove(path_);
  open();
  std::ofstream(folder_.path("victim")) << "kept";
  std::filesystem::create_symlink(folder_.path("victim"), path_ + "/0000000001.srec");
  EXPECT_TRUE(segments_in(path_).empty());
  const auto writer = open();
  EXPECT_EQ(writer->append(one_of_each(), clocks(12s)), path_ + "/0000000001.srec: File exists");
  EXPECT_EQ(std::filesystem::file_size(folder_.path("victim")), 4U);
}

TEST_F(SegmentWriterTest, OneProcessWritesAtATime) {
  auto first = open();
  EXPECT_EQ(problem(), path_ + " is in use: another daemon records there");
  first.reset();
  EXPECT_EQ(problem(), "");
}

TEST_F(SegmentWriterTest, EachWriterBeginsASegmentAfterTheLast) {
  for (int start = 0; start < 3; ++start) {
    ASSERT_EQ(open()->append(one_of_each(), clocks(12s)), std::nullopt);
  }
  const auto segments = segments_in(path_);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments.back().number, 3U);
}

TEST_F(SegmentWriterTest, HoldsItsSizeByRemovingTheOldest) {
  const Limits limits{Bytes{1 << 20}, std::chrono::hours(24)};
  const auto writer = open(limits);
  for (int second = 0; second < 300; ++second) {
    const Clocks now = clocks(std::chrono::seconds(second));
    ASSERT_EQ(writer->append(bulk(10'000, now.now), now), std::nullopt);
    std::uint64_t bytes = 0;
    for (const SegmentFile& each : segments_in(path_)) bytes += each.bytes;
    ASSERT_LE(bytes, limits.size.value);
    ASSERT_EQ(bytes, writer->bytes());
  }
  const std::vector<Timed> entries = entries_in(path_);
  EXPECT_EQ(entries.back().at, clocks(299s).now);
  EXPECT_GE(entries.size(), 80U) << "no more is removed than must be";
}

TEST_F(SegmentWriterTest, ClosesTheSegmentsThatEnded) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto writer = open({Bytes{1 << 20}, std::chrono::hours(24)});
  const Clocks now = clocks(1s);
  ASSERT_EQ(writer->append(bulk(100'000, now.now), now), std::nullopt);
  const auto before = open_files();
  for (int block = 0; block < 5; ++block) {
    ASSERT_EQ(writer->append(bulk(100'000, now.now), now), std::nullopt);
  }
  EXPECT_EQ(segments_in(path_).size(), 6U);
  EXPECT_EQ(open_files(), before);
}

TEST_F(SegmentWriterTest, ForgetsWhatIsTooOld) {
  const Limits limits{Bytes{1 << 20}, std::chrono::hours(7)};
  ASSERT_EQ(open(limits)->append(one_of_each(), clocks(12s)), std::nullopt);
  const auto wall = segments_in(path_).front().modified;
  const auto writer = open(limits);
  ASSERT_EQ(writer->append(one_of_each(), {moment(0s), wall + 6h}), std::nullopt);
  EXPECT_EQ(segments_in(path_).size(), 2U);
  std::filesystem::last_write_time(path_ + "/0000000002.srec",
                                   std::filesystem::file_time_type::clock::now() + 6h);
  ASSERT_EQ(writer->append(one_of_each(), {moment(1h + 1s), wall + 7h + 1s}), std::nullopt);
  ASSERT_EQ(segments_in(path_).size(), 2U) << "a seventh of the age begins a segment";
  EXPECT_EQ(segments_in(path_).front().number, 2U);
}

TEST_F(SegmentWriterTest, AClockThatIsAheadForLessThanAnHourRemovesNothing) {
  const Limits limits{Bytes{1 << 20}, std::chrono::hours(7)};
  const auto writer = open(limits);
  ASSERT_EQ(writer->append(one_of_each(), {moment(0s), clocks(0s).wall}), std::nullopt);
  const auto wall = segments_in(path_).front().modified;
  const auto append_at = [&](Duration now, Duration ahead) {
    EXPECT_EQ(writer->append(one_of_each(), {moment(now), wall + now + ahead}), std::nullopt);
    return segments_in(path_).front().number;
  };
  EXPECT_EQ(append_at(1h, 0h), 1U);
  EXPECT_EQ(segments_in(path_).size(), 2U);
  EXPECT_EQ(append_at(1h + 1min, 1000h), 1U);
  EXPECT_EQ(append_at(1h + 50min, 1000h), 1U);
  EXPECT_EQ(append_at(2h + 30min, 0h), 1U) << "it was set back";
  EXPECT_EQ(append_at(3h, 1000h), 1U);
  append_at(4h, 1000h);
  EXPECT_EQ(segments_in(path_).size(), 1U) << "it stays ahead";
}

TEST_F(SegmentWriterTest, SaysThatItsFileIsGone) {
  const auto writer = open();
  ASSERT_EQ(writer->append(one_of_each(), clocks(12s)), std::nullopt);
  std::filesystem::remove_all(path_);
  EXPECT_EQ(writer->append(one_of_each(), clocks(13s)), path_ + "/0000000001.srec was removed");
}

}  // namespace
}  // namespace sluice::record::testing
