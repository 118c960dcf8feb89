#include "record/recorder.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

#include "record_folder.h"
#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

class RecorderTest : public ::testing::Test {
 protected:
  RecorderOptions options() const { return {path_, {}, "", {"1.2.3", "boot"}}; }
  Recorder::OnFailing tell() {
    return [this](const std::optional<std::string>& problem) {
      told_.push_back(problem.value_or("works"));
    };
  }
  static Entry level(std::int64_t size) { return Level{Points{size}, {}, 0, 0, {}, {}}; }

  Folder folder_;
  const std::string path_ = folder_.path("record");
  std::vector<std::string> told_;
};

TEST_F(RecorderTest, WritesWhatWasRecordedInItsOrder) {
  Recorder recorder(options(), tell());
  for (int second = 0; second < 100; ++second) {
    recorder.record(moment(std::chrono::seconds(second)), level(second));
    if (second % 7 == 0) recorder.flush(clocks(std::chrono::seconds(second)));
  }
  recorder.flush(clocks(100s));
  const std::vector<Timed> entries = entries_in(path_);
  ASSERT_EQ(entries.size(), 100U);
  for (int second = 0; second < 100; ++second) {
    EXPECT_EQ(entries[static_cast<std::size_t>(second)],
              (Timed{moment(std::chrono::seconds(second)), level(second)}));
  }
  EXPECT_TRUE(told_.empty());
}

TEST_F(RecorderTest, WritesTheRestWhenItEnds) {
  {
    Recorder recorder(options(), tell());
    recorder.start();
    recorder.record(moment(1s), level(1));
  }
  EXPECT_EQ(entries_in(path_).size(), 1U);
}

TEST_F(RecorderTest, AnOverrunIsAGapWithItsCountAndItsTimes) {
  Recorder recorder(options(), tell());
  const Entry large = DaemonEvent{"operated", {std::string(1000, 'x')}};
  const int most = static_cast<int>(kBlockContents / 1000);
  int recorded = 0;
  while (recorder.recording().lost == 0 && recorded <= most) {
    recorder.record(moment(std::chrono::seconds(++recorded)), large);
  }
  ASSERT_LT(recorded, most);
  recorder.record(moment(2000s), large);  // There is room for the gap, but not for this.
  recorder.flush(clocks(2000s));
  recorder.record(moment(2001s), level(2));
  recorder.flush(clocks(2002s));
  const std::vector<Timed> entries = entries_in(path_);
  ASSERT_GE(entries.size(), 3U);
  EXPECT_EQ(recorder.recording().lost, 2U);
  const TimePoint first = moment(std::chrono::seconds(recorded));
  EXPECT_EQ(entries[entries.size() - 3].entry, (Entry{Gap{1, first, first, "overrun"}}));
  EXPECT_EQ(entries[entries.size() - 2].entry,
            (Entry{Gap{1, moment(2000s), moment(2000s), "overrun"}}));
  EXPECT_EQ(entries.back().entry, level(2));
}

TEST_F(RecorderTest, CountsWhatReadersMayLackTheEntriesBefore) {
  RecorderOptions small = options();
  small.limits.size = Bytes{std::size_t{16} << 10};
  Recorder recorder(small, tell());
  int second = 0;
  const auto write = [&](const Entry& entry) {
    ++second;
    recorder.record(moment(std::chrono::seconds(second)), entry);
    recorder.flush(clocks(std::chrono::seconds(second)));
  };
  write(level(1));
  write(level(2));
  EXPECT_EQ(recorder.breaks(), 0U) << "the first segment";
  while (segments_in(path_).size() < 2) write(DaemonEvent{"operated", {std::to_string(second)}});
  EXPECT_EQ(recorder.breaks(), 1U) << "another";

  // Nobody drains them.
  const Entry large = DaemonEvent{"operated", {std::string(1000, 'x')}};
  while (recorder.recording().lost == 0) recorder.record(moment(5000s), large);
  EXPECT_EQ(recorder.breaks(), 1U) << "it goes on";
  recorder.flush(clocks(5000s));
  const std::uint64_t before = recorder.breaks();
  recorder.record(moment(5001s), level(1));
  EXPECT_EQ(recorder.breaks(), before + 1) << "entries are recorded after a gap";

  recorder.flush(clocks(5001s));
  std::filesystem::remove_all(path_);
  recorder.record(moment(5002s), level(2));
  recorder.flush(clocks(5002s));
  const std::uint64_t failing = recorder.breaks();
  recorder.record(moment(5040s), level(3));
  recorder.flush(clocks(5040s));
  EXPECT_EQ(told_.back(), "works");
  EXPECT_EQ(recorder.breaks(), failing + 1);
}

TEST_F(RecorderTest, AFirstSegmentAfterAGapCounts) {
  std::ofstream(path_) << "in the way";
  Recorder recorder(options(), tell());
  recorder.record(moment(1s), level(1));
  recorder.flush(clocks(1s));
  EXPECT_EQ(recorder.breaks(), 0U);
  std::filesystem::remove(path_);
  recorder.record(moment(40s), level(2));
  recorder.flush(clocks(40s));
  EXPECT_EQ(recorder.breaks(), 1U);
}

TEST_F(RecorderTest, AFolderThatAnotherUsesIsSaidOnceAndTriedAgain) {
  auto other = std::make_unique<Recorder>(options(), nullptr);
  other->record(moment(1s), level(1));
  other->flush(clocks(1s));
  Recorder recorder(options(), tell());
  for (int second = 2; second < 40; ++second) {
    recorder.record(moment(std::chrono::seconds(second)), level(second));
    recorder.flush(clocks(std::chrono::seconds(second)));
  }
  const std::string problem = path_ + " is in use: another daemon records there";
  EXPECT_EQ(told_, std::vector<std::string>{problem});
  EXPECT_EQ(recorder.recording().failing, problem);
  EXPECT_EQ(recorder.recording().lost, 38U);
  other.reset();

  recorder.record(moment(70s), level(61));
  recorder.flush(clocks(70s));
  EXPECT_EQ(told_, (std::vector<std::string>{problem, "works"}));
  EXPECT_EQ(recorder.recording().failing, std::nullopt);
  const std::vector<Timed> entries = entries_in(path_);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].entry, level(1));
  EXPECT_EQ(entries[1].entry, (Entry{Gap{38, moment(2s), moment(39s), problem}}));
  EXPECT_EQ(entries[2].entry, level(61));
}

TEST_F(RecorderTest, AFolderThatWasRemovedIsMadeAgain) {
  Recorder recorder(options(), tell());
  recorder.record(moment(1s), level(1));
  recorder.flush(clocks(1s));
  std::filesystem::remove_all(path_);
  recorder.record(moment(2s), level(2));
  recorder.flush(clocks(2s));
  recorder.record(moment(40s), level(40));
  recorder.flush(clocks(40s));
  EXPECT_EQ(told_, (std::vector<std::string>{path_ + "/0000000001.srec was removed", "works"}));
  EXPECT_EQ(entries_in(path_).back().entry, level(40));
}

/// A real disk that fills, which takes root: a small tmpfs.
class FullDisk : public RecorderTest {
 protected:
  ~FullDisk() override { umount2(disk_.c_str(), MNT_DETACH); }

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "mounting a tmpfs takes root";
    std::filesystem::create_directory(disk_);
    ASSERT_EQ(mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=256k"), 0);
  }
  RecorderOptions options() const {
    RecorderOptions small = RecorderTest::options();
    small.folder = disk_ + "/record";
    small.room = std::size_t{4} << 20;
    return small;
  }
  void resize(const char* size) const {
    ASSERT_EQ(mount("tmpfs", disk_.c_str(), "tmpfs", MS_REMOUNT, size), 0);
  }
  /// Hardly compressible.
  Entry call(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& each : bytes) each = static_cast<char>(random_());
    return GovernorCall{bytes};
  }

  const std::string disk_ = folder_.path("disk");
  std::mt19937 random_{1};
};

TEST_F(FullDisk, WhatWasWrittenBeforeItWasFullIsNoPartOfTheGap) {
  resize("size=1536k");
  Recorder recorder(options(), tell());
  constexpr std::size_t kCalls = 300;
  for (std::size_t number = 1; number <= kCalls; ++number) {
    recorder.record(moment(std::chrono::seconds(number)), call(8000));
  }
  recorder.flush(clocks(300s));
  ASSERT_EQ(told_.size(), 1U);
  const std::size_t whole = entries_in(options().folder).size();
  EXPECT_GT(whole, 100U);
  EXPECT_EQ(recorder.recording().lost, kCalls - whole);
  resize("size=8m");
  recorder.record(moment(340s), level(1));
  recorder.flush(clocks(340s));
  const std::vector<Timed> entries = entries_in(options().folder);
  ASSERT_EQ(entries.size(), whole + 2);
  const Gap& gap = std::get<Gap>(entries[whole].entry);
  EXPECT_EQ(gap.lost, kCalls - whole);
  EXPECT_EQ(gap.from, entries[whole - 1].at + 1s);
}

TEST_F(FullDisk, NoFileIsLeftByATryWithoutRoomForABlock) {
  resize("size=16k");
  std::ofstream(disk_ + "/filler") << std::string(8000, 'x');
  Recorder recorder(options(), tell());
  for (int minute = 1; minute < 5; ++minute) {
    const Duration at = std::chrono::minutes(minute);
    recorder.record(moment(at), call(50'000));
    recorder.flush(clocks(at));
  }
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_TRUE(segments_in(options().folder).empty());
}

TEST_F(FullDisk, StopsTheRecordingUntilThereIsRoom) {
  const std::string disk = disk_, path = options().folder;
  Recorder recorder(options(), tell());
  std::ofstream(disk + "/filler") << std::string(150'000, 'x');
  int second = 0;
  while (told_.empty() && second < 100) {
    std::string text(5000, '\0');
    for (char& each : text) each = static_cast<char>(random_());
    recorder.record(moment(std::chrono::seconds(++second)), DaemonEvent{"operated", {text}});
    recorder.flush(clocks(std::chrono::seconds(second)));
  }
  EXPECT_EQ(told_, std::vector<std::string>{path + "/0000000001.srec: No space left on device"});
  const std::size_t before = entries_in(path).size();
  EXPECT_EQ(before, static_cast<std::size_t>(second - 1)) << "a block is there as a whole or not";

  std::filesystem::remove(disk + "/filler");
  recorder.record(moment(200s), level(200));
  recorder.flush(clocks(200s));
  EXPECT_EQ(told_.back(), "works");
  EXPECT_EQ(entries_in(path).size(), before + 2);
  EXPECT_EQ(entries_in(path).back().entry, level(200));
}

TEST_F(RecorderTest, UnderHashedNamesNoNameIsInTheRecord) {
  RecorderOptions hashed = options();
  hashed.secret_file = folder_.path("record.secret");
  Recorder recorder(hashed, tell());
  recorder.record(moment(1s),
                  JobSubmitted{JobId{1}, {"MARK-1"}, {"MARK-2"}, {"MARK-3"}, {}, 0, {}, {}});
  recorder.flush(clocks(1s));
  const std::vector<Timed> entries = entries_in(path_);
  ASSERT_EQ(entries.size(), 1U);
  const auto& job = std::get<JobSubmitted>(entries.front().entry);
  for (const Name& each : {job.id, job.key, job.queue}) {
    EXPECT_EQ(each.text.size(), 17U);
    EXPECT_TRUE(each.text.starts_with("#")) << each.text;
  }
}

}  // namespace
}  // namespace sluice::record::testing
