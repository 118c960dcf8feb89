#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../record/sample_entries.h"
#include "cli/record/span.h"
#include "cli/record/story.h"
#include "record/folder.h"
#include "record/segment.h"
#include "record/segment_writer.h"

namespace sluice::cli::testing {

using namespace std::chrono_literals;

/// 2026-01-01T00:00:00Z is the time of boot.
inline record::WallTime wall(Duration since_boot) {
  return record::WallTime(std::chrono::seconds(1767225600) + since_boot);
}

/// Entries of a made-up day, with the time of each since boot.
class SampleRecord {
 public:
  SampleRecord& add(Duration since_boot, record::Entry entry) {
    entries_.push_back({TimePoint(since_boot), std::move(entry)});
    return *this;
  }
  void tell(auto&& each) const {
    for (const record::Timed& entry : entries_) {
      each(record::Dated{entry.at, wall(entry.at.time_since_epoch()), entry.entry});
    }
  }
  /// With the side of the span on which each entry is.
  void tell_part(const Span& span, auto&& each) const {
    RecordPart part(span);
    tell([&](const record::Dated& entry) { part.find(entry); });
    tell([&](const record::Dated& entry) { each(entry, part.next()); });
  }
  Story story() const {
    Story story;
    tell([&](const record::Dated& each) { story.add(each); });
    return story;
  }

 private:
  std::vector<record::Timed> entries_;
};

inline record::JobSubmitted submitted(std::uint64_t job, const std::string& id) {
  record::JobSubmitted entry{JobId{job}, {id}, {"g++"}, {"gate"}, 1000, 0, Points{10}, {}};
  entry.on_failure = "cancel";
  return entry;
}

inline record::JobWaits waits(std::uint64_t job, const std::string& code, std::uint64_t place) {
  return {JobId{job}, code,          {code},      Points{10},    Points{35}, Points{40},
          JobId{16},  1'300'000'000, 400'000'000, 8'000'000'000, place};
}

inline record::JobStarted started(std::uint64_t job) {
  record::JobStarted start;
  start.job = JobId{job};
  start.cost = Points{10};
  start.usage = Points{30};
  start.size = Points{40};
  start.kept = Bytes{1 << 30};
  start.expected_memory = Bytes{1 << 29};
  start.expected_time = 60s;
  start.expected_millicores = 1500;
  start.rung = "key";
  return start;
}

/// The job as the daemon tells it again, and that it runs, since `admitted` after boot.
inline record::JobRestated told_again(std::uint64_t job, const std::string& id, Duration arrived,
                                      std::optional<Duration> admitted = std::nullopt) {
  record::JobRestated again;
  again.submitted = submitted(job, id);
  again.arrived = TimePoint(arrived);
  if (!admitted) return again;
  again.started = started(job);
  again.started->usage = again.started->size = Points{};
  again.admitted = TimePoint(*admitted);
  return again;
}

/// Job 17 waits 3 min 12 s: 2 min 50 s for memory and then 22 s for the window, and runs for 95 s.
inline SampleRecord one_job() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(16, "build-16"))
      .add(10s, submitted(17, "build-17"))
      .add(11s, waits(17, "memory", 4))
      .add(60s, waits(17, "memory", 1))
      .add(180s, waits(17, "window", 1))
      .add(202s, started(17))
      .add(297s,
           record::JobFinished{JobId{17}, "ok", "finish", "", true, 76s, 95s, Bytes{1 << 28}});
  return sample;
}

/// Writes it as the record of a daemon that began an hour after the boot.
inline void write_record(const SampleRecord& sample, const std::string& state_dir) {
  std::filesystem::create_directory(state_dir);
  auto folder = record::RecordFolder::open_to_write(state_dir + "/record");
  record::SegmentWriter writer(std::move(std::get<record::RecordFolder>(folder)), {},
                               {"1.2.3", "boot"});
  std::vector<record::Timed> entries;
  sample.tell([&](const record::Dated& each) { entries.push_back({each.at, each.entry}); });
  EXPECT_EQ(writer.append(std::move(entries), record::testing::clocks(1h)), std::nullopt);
}

}  // namespace sluice::cli::testing
