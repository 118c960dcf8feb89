// Whatever has happened to the calls of a record: a replay names it, repeats what is whole, and
// never says that it was exact.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/record/exact.h"
#include "cli/record/moment.h"
#include "record/recorder.h"
#include "record_folder.h"
#include "recorded_history.h"
#include "repetitions.h"
#include "sluice/version.h"

namespace sluice::record::testing {
namespace {

using cli::ExactReplay;

/// The distance between the bytes or bits that are tried, after the first ones: eight times the
/// usual one under a sanitizer, see `repetitions`.
constexpr std::size_t stride(std::size_t usual) { return usual * 8 / repetitions(8U); }

/// The record of three lives of a daemon, each killed and each a segment of several blocks.
class DamagedCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t life = 1; life <= 3; ++life) record_life(life, Duration{0});
    whole_ = replayed();
    ASSERT_TRUE(whole_.differences.empty());
    ASSERT_EQ(whole_.missing.size(), 2U) << "a day with three starts";
    ASSERT_GT(whole_.totals.calls, 100U);
  }

  RecorderOptions options_of(const std::string& version) const {
    RecorderOptions options;
    options.folder = path_;
    options.start = {version, "boot"};
    options.blocks = Blocks::linked;
    return options;
  }

  /// `clock`: how much the wall clock is ahead in its second half.
  void record_life(std::uint64_t number, Duration clock, const std::string& version = kVersion) {
    Recorder recorder(options_of(version), nullptr);
    RecordedHistory history(number);
    const std::vector<std::string>& calls = history.play();
    Duration at = std::chrono::hours(number);
    for (std::size_t call = 0; call < calls.size(); ++call) {
      at += 10ms;
      recorder.record(moment(at), GovernorCall{calls[call]});
      Clocks now = clocks(at);
      if (call > calls.size() / 2) now.wall += clock;
      if (call % (calls.size() / 5) == 0 || call + 1 == calls.size()) recorder.flush(now);
    }
  }

  std::string file(std::uint64_t number) const {
    return std::get<RecordFolder>(RecordFolder::open_to_read(path_)).path_of(number);
  }
  std::string contents(std::uint64_t number) const {
    std::ifstream in(file(number), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void replace(std::uint64_t number, std::string_view bytes) const {
    std::ofstream(file(number), std::ios::binary | std::ios::trunc) << bytes;
  }
  ExactReplay replayed() const {
    return cli::replay_calls(std::get<RecordFolder>(RecordFolder::open_to_read(path_)));
  }
  /// Replays it with these bytes in place of the second segment.
  ExactReplay replayed_with(std::string_view bytes) const {
    replace(2, bytes);
    return replayed();
  }
  /// Where the blocks of a segment end.
  static std::vector<std::size_t> borders_of(const std::string& bytes) {
    std::vector<std::size_t> borders{segment_header().size()};
    for (std::size_t at = borders.back(); at < bytes.size(); borders.push_back(at)) {
      const auto length = [&](std::size_t byte) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + byte]));
      };
      at += 12 + (length(4) | length(5) << 8 | length(6) << 16 | length(7) << 24);
    }
    return borders;
  }
  bool names(const ExactReplay& replay, std::uint64_t number, const std::string& problem) const {
    return std::ranges::any_of(replay.missing, [&](const ExactReplay::Missing& each) {
      return each.why.starts_with(file(number) + ": ") &&
             each.why.find(problem) != std::string::npos;
    });
  }

  Folder folder_;
  const std::string path_ = folder_.path("calls");
  ExactReplay whole_;
};

TEST_F(DamagedCalls, CutAtAnyByteAreNamedAndTheOtherLivesAreReplayed) {
  const std::string bytes = contents(2);
  const std::vector<std::size_t> borders = borders_of(bytes);
  ASSERT_GE(borders.size(), 5U);
  std::uint64_t calls = 0;
  for (std::size_t end = 0; end < bytes.size(); end += end < 30 ? 1 : stride(7)) {
    const ExactReplay cut = replayed_with(std::string_view(bytes).substr(0, end));
    ASSERT_TRUE(cut.differences.empty()) << "cut at " << end;
    if (!std::ranges::count(borders, end)) {
      ASSERT_TRUE(names(cut, 2, "truncated")) << "cut at " << end << "\n" << exact_text(cut);
    }
    ASSERT_NE(exact_text(cut).find("exact but for\n"), std::string::npos) << "cut at " << end;
    ASSERT_GE(cut.totals.calls, calls) << "cut at " << end;
    calls = cut.totals.calls;
  }
  for (const std::size_t border : borders) {
    for (const std::size_t end : {border - 1, border, border + 1}) {
      const ExactReplay cut = replayed_with(std::string_view(bytes).substr(0, end));
      ASSERT_TRUE(cut.differences.empty()) << "cut at " << end;
      ASSERT_EQ(names(cut, 2, "truncated"), end != border && end < bytes.size())
          << "cut at " << end;
    }
  }
}

TEST_F(DamagedCalls, AnEndThatIsCutIsNotExact) {
  const std::string bytes = contents(3);
  const std::vector<std::size_t> borders = borders_of(bytes);
  for (const std::size_t border : borders) {
    replace(3, std::string_view(bytes).substr(0, border - 1));
    const ExactReplay cut = replayed();
    ASSERT_TRUE(names(cut, 3, "truncated")) << border << "\n" << exact_text(cut);
  }
  replace(3, std::string_view(bytes).substr(0, borders[2]));
  const std::vector<std::string> remarks = replayed().remarks;
  EXPECT_EQ(remarks, std::vector<std::string>{
                         "the record lacks the daemon's exit: it still runs, or was killed"});
}

TEST_F(DamagedCalls, AFlippedBitIsNamedOrChangesNothing) {
  const std::string bytes = contents(2);
  const auto bits = 8 * bytes.size();
  for (std::size_t bit = 0; bit < bits; bit += bit < 300 ? 1 : stride(31)) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const ExactReplay replay = replayed_with(flipped);
    ASSERT_TRUE(replay.differences.empty()) << "bit " << bit;
    if (replay.totals.calls == whole_.totals.calls) continue;
    ASSERT_TRUE(names(replay, 2, "")) << "bit " << bit << "\n" << exact_text(replay);
  }
}

TEST_F(DamagedCalls, ADamagedBlockIsNamedWithItsPlaceAndWhatItCosts) {
  std::string bytes = contents(2);
  const std::vector<std::size_t> borders = borders_of(bytes);
  bytes[borders[1] + 20] = static_cast<char>(~bytes[borders[1] + 20]);
  const ExactReplay replay = replayed_with(bytes);
  ASSERT_EQ(replay.missing.size(), 2U);
  EXPECT_EQ(replay.missing[1].why, file(2) + ": a block at byte " + std::to_string(borders[1]) +
                                       " is damaged, and without it the rest cannot be read");
}

TEST_F(DamagedCalls, WhatTheLastSegmentLosesLastsUntilItsFileWasChangedLast) {
  std::string bytes = contents(3);
  const std::size_t second = borders_of(bytes)[1];
  bytes[second + 20] = static_cast<char>(~bytes[second + 20]);
  replace(3, bytes);
  const WallTime written = clocks(4h).wall;
  const timespec at{std::chrono::system_clock::to_time_t(written), 0};
  const std::array<timespec, 2> times{at, at};
  ASSERT_EQ(utimensat(AT_FDCWD, file(3).c_str(), times.data(), 0), 0);
  const ExactReplay replay = replayed();
  ASSERT_FALSE(replay.missing.empty());
  EXPECT_LT(replay.missing.back().from, written);
  EXPECT_EQ(replay.missing.back().to, written) << exact_text(replay);
}

TEST_F(DamagedCalls, ALossBeforeAnyCallIsToldByItsEndAlone) {
  std::string bytes = contents(1);
  const std::size_t first = borders_of(bytes)[0];
  bytes[first + 20] = static_cast<char>(~bytes[first + 20]);
  replace(1, bytes);
  const ExactReplay replay = replayed();
  ASSERT_TRUE(names(replay, 1, "is damaged")) << exact_text(replay);
  const ExactReplay::Missing& loss = replay.missing.front();
  EXPECT_FALSE(loss.from) << "nothing says since when, not even when the file was changed";
  EXPECT_GE(loss.to, clocks(2h).wall);
  EXPECT_LT(loss.to, clocks(2h + 1min).wall) << "the next life";
  EXPECT_NE(exact_text(replay).find("\n  before " + cli::local_time(loss.to) + ": " + loss.why),
            std::string::npos)
      << exact_text(replay);
  EXPECT_NE(exact_json(replay).find(R"("missing":[{"from":null,"to":")"), std::string::npos);
  std::filesystem::remove(file(2));
  EXPECT_NE(replayed().missing.front().why.find("; segment 2 is missing"), std::string::npos);
}

TEST_F(DamagedCalls, AGapBeforeAnyCallIsToldByItsEndAlone) {
  std::filesystem::remove_all(path_);
  Recorder recorder(options_of(kVersion), nullptr);
  recorder.record(moment(50s), Gap{3, moment(10s), moment(50s), "overrun"});
  inputs::InputLog log([&](TimePoint, std::string_view call) {
    recorder.record(moment(60s), GovernorCall{std::string(call)});
  });
  RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
  recorder.flush(clocks(60s));
  const ExactReplay replay = replayed();
  ASSERT_EQ(replay.missing.size(), 1U) << exact_text(replay);
  EXPECT_FALSE(replay.missing[0].from) << "not the time of the gap's entry, by when it was over";
  EXPECT_EQ(replay.missing[0].to, clocks(60s).wall);
  EXPECT_EQ(replay.missing[0].why, "overrun");
}

TEST_F(DamagedCalls, ALossDoesNotBeginAfterItsEndIfTheClockWasSetBack) {
  std::filesystem::remove_all(path_);
  record_life(1, 5h);
  record_life(2, {});
  const ExactReplay replay = replayed();
  ASSERT_EQ(replay.missing.size(), 1U) << exact_text(replay);
  EXPECT_FALSE(replay.missing[0].from) << exact_text(replay);
  EXPECT_EQ(replay.missing[0].why, "the daemon was killed, or could not record its end");
}

TEST_F(DamagedCalls, AForeignOrEmptyFileAndAnotherFormatAreNamed) {
  EXPECT_TRUE(names(replayed_with(""), 2, "truncated within its header"));
  EXPECT_TRUE(names(replayed_with("\x89PNG, and more of it"), 2, "not a Sluice record"));
  std::string other = contents(1);
  other[segment_header().size() - 4] = 7;
  const ExactReplay replay = replayed_with(other);
  EXPECT_TRUE(names(replay, 2, "it has format version 7, and this Sluice reads version 1"));
  EXPECT_TRUE(replay.differences.empty());
  EXPECT_GT(replay.totals.calls, 50U) << "the other two lives";
}

TEST_F(DamagedCalls, ASegmentThatIsMissingIsNamed) {
  std::filesystem::remove(file(2));
  const ExactReplay replay = replayed();
  ASSERT_EQ(replay.missing.size(), 1U);
  EXPECT_EQ(replay.missing[0].why, "segment 2 is missing");
  EXPECT_LT(replay.missing[0].from, replay.missing[0].to);
  std::filesystem::rename(file(3), file(9));
  EXPECT_EQ(replayed().missing[0].why, "segments 2 to 8 are missing");
}

/// A core that begins again while a job runs, several times.
std::vector<std::string> calls_with_beginnings() {
  std::vector<std::string> calls;
  inputs::InputLog log([&](TimePoint, std::string_view call) { calls.emplace_back(call); }, 0);
  RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
  for (int second = 1; second < 20; second += 3) {
    core.submit(fakes::costing(5), fakes::at(second));
    const std::vector<Admitted> started = core.pass(fakes::at(second + 1));
    core.start_over_if_due(fakes::at(second + 1));
    core.finish(started.front().slot, Outcome::ok, fakes::at(second + 2));
  }
  return calls;
}

TEST_F(DamagedCalls, WithoutItsStartADaemonIsReplayedFromItsNextBeginning) {
  const std::vector<std::string> calls = calls_with_beginnings();
  for (std::size_t cut = 2; cut + 4 < calls.size(); ++cut) {
    std::filesystem::remove_all(path_);
    for (std::size_t call = 0; call < calls.size();) {
      const std::size_t end = call == 0 ? cut : calls.size();
      Recorder recorder(options_of(kVersion), nullptr);  // A segment each.
      for (; call < end; ++call) recorder.record(moment(call * 10ms), GovernorCall{calls[call]});
      recorder.flush(clocks(call * 10ms));
    }
    EXPECT_TRUE(replayed().missing.empty()) << exact_text(replayed());
    std::filesystem::remove(file(1));
    const ExactReplay replay = replayed();
    EXPECT_TRUE(replay.differences.empty()) << exact_text(replay);
    // A start, and then four calls each, of which the third is a beginning.
    EXPECT_EQ(replay.totals.calls, calls.size() - (cut / 4 * 4 + 3)) << "cut at " << cut;
    EXPECT_EQ(replay.missing.size(), cut % 4 == 3 ? 0U : 1U) << exact_text(replay);
  }
}

TEST_F(DamagedCalls, ClocksThatJumpedAreNamedAndChangeNoDecision) {
  record_life(4, -2h);
  const ExactReplay replay = replayed();
  EXPECT_TRUE(replay.differences.empty());
  EXPECT_EQ(replay.missing.size(), 3U) << "only the lives' ends";
  EXPECT_EQ(replay.remarks.front(), file(4) + ": the wall clock was set back by 2 h 00 min");
}

TEST_F(DamagedCalls, AnotherVersionOfSluiceIsNamedOnce) {
  record_life(4, {}, "0.0.9");
  record_life(5, {}, "0.0.9");
  const ExactReplay replay = replayed();
  EXPECT_EQ(replay.remarks.front(), "recorded by Sluice 0.0.9, replayed by " +
                                        std::string(kVersion) + ": decisions may differ");
  EXPECT_EQ(replay.remarks.size(), 2U);
}

/// A gap after a daemon's end is one nevertheless, and no reason for the next.
TEST_F(DamagedCalls, AGapAndAKillAreNamedWhereverTheyAreAndOnlyThere) {
  std::filesystem::remove_all(path_);
  Recorder recorder(options_of(kVersion), nullptr);
  Duration at{0};
  const auto live = [&](std::size_t calls) {
    inputs::InputLog log([&](TimePoint, std::string_view call) {
      if (calls == 0) return;
      --calls;
      recorder.record(moment(at += 1s), GovernorCall{std::string(call)});
    });
    RecordedCore core(&log, fakes::fixed_window(10), fakes::flat(5), {}, fakes::at(0));
    core.operate(Switch::draining);
  };
  live(3);
  recorder.record(moment(at += 1s), Gap{3, moment(at), moment(at), "No space left on device"});
  live(3);
  live(2);  // Killed while it drained.
  live(3);
  recorder.flush(clocks(at));
  const ExactReplay replay = replayed();
  ASSERT_EQ(replay.missing.size(), 2U) << exact_text(replay);
  EXPECT_EQ(replay.missing[0].why, "No space left on device");
  EXPECT_EQ(replay.missing[1].why, "the daemon was killed, or could not record its end");
}

/// A record is replayed by what it says of the machine, not by the machine that replays it.
TEST_F(DamagedCalls, AMachineWithOtherSensorsIsReplayedExactly) {
  std::filesystem::remove_all(path_);
  Recorder recorder(options_of(kVersion), nullptr);
  inputs::InputLog log([&](TimePoint at, std::string_view call) {
    recorder.record(at, GovernorCall{std::string(call)});
  });
  const std::vector<KnownSensor> sensors{fakes::known("licences"), fakes::known("battery")};
  GovernorOptions window = fakes::window_of(30, 60);
  window.window.minimum = Points{10};
  RecordedCore core(&log, window, fakes::flat(5), sensors, fakes::at(0));
  for (int second = 1; second < 20; ++second) {
    core.submit(fakes::costing(5), fakes::at(second));
    core.observe({{fakes::measured(fakes::at(second), second % 5 == 0 ? 1.5 : 0.2), {}},
                  {fakes::failed(fakes::at(second)), {}}},
                 fakes::at(second));
    core.adjust_window(fakes::at(second));
    core.pass(fakes::at(second));
  }
  recorder.flush(clocks(30s));
  const ExactReplay replay = replayed();
  EXPECT_TRUE(replay.differences.empty()) << exact_text(replay);
  EXPECT_TRUE(replay.missing.empty());
  EXPECT_GT(replay.totals.started, 0U);
  EXPECT_GT(replay.totals.window_changes, 0U);
}

}  // namespace
}  // namespace sluice::record::testing
