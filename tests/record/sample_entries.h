#pragma once

#include <string>
#include <vector>

#include "record/segment.h"

namespace sluice::record::testing {

using namespace std::chrono_literals;

inline TimePoint moment(Duration since_boot) { return TimePoint(since_boot); }

/// Both clocks, `since_boot` after a boot at 2026-01-01T00:00:00Z.
inline Clocks clocks(Duration since_boot) {
  return {moment(since_boot), WallTime(std::chrono::seconds(1767225600) + since_boot)};
}

/// An entry of each type, a second apart.
inline std::vector<Timed> one_of_each() {
  std::vector<Entry> entries{
      SegmentStart{"1.2.3", "boot-1"},
      Gap{17, moment(5s), moment(6s), "overrun"},
      DaemonEvent{"started", {"0.1.0"}, std::vector{JobId{17}, JobId{300}}},
      JobSubmitted{JobId{17},
                   {"build-17"},
                   {"g++:heavy"},
                   {"nightly/3"},
                   1000,
                   -5,
                   Points{12},
                   JobId{3},
                   {"g++"},
                   {"v"},
                   Points{12},
                   Bytes{1 << 20},
                   2,
                   {{{"node"}, {"exclusive:n1"}}},
                   {{{"db"}, 3}},
                   {JobId{4}, JobId{5}},
                   true,
                   std::vector{Name{"rate-limit:2:lint"}, Name{"nightly"}},
                   "hold",
                   -5,
                   true},
      JobWaits{JobId{17},
               "memory",
               {"memory"},
               Points{12},
               Points{30},
               Points{40},
               JobId{9},
               1'300'000'000,
               -5,
               8'000'000'000,
               300},
      JobStarted{JobId{17}, Points{12}, Points{42}, Points{50}, Bytes{1ULL << 33}, Bytes{1 << 30},
                 90s, 1500, "key"},
      JobFinished{JobId{17},
                  "ok",
                  "finish",
                  "",
                  true,
                  80s,
                  95s,
                  Bytes{1 << 29},
                  3s,
                  Bytes{1 << 21},
                  {{4s, 10}, {90s, 1200}},
                  {{90s, Bytes{1 << 29}}}},
      WindowChanged{Points{40}, Points{20}, "red", {"load"}, {"load1 is 9"}, 985, 1200, 41},
      SensorVerdict{{"load"}, true, true, false, {"load1 is 9"}},
      Level{Points{20}, Points{18}, 3, 41, 985, std::nullopt, Bytes{1 << 28}},
      Pressures{{{{"load"}, 1130}, {{"own_sensor"}, 20}}},
      Configured{1500, Bytes{1ULL << 32}, {"window: {law: knee}"}}};
  std::vector<Timed> timed;
  for (Entry& each : entries) {
    timed.push_back({moment(std::chrono::seconds(timed.size() + 1)), std::move(each)});
  }
  return timed;
}

/// Everything that can be read from the bytes.
struct Read {
  std::vector<Timed> entries;
  SegmentSummary summary;
};
inline Read read(std::string_view bytes) {
  Read read;
  read.summary = read_segment(bytes, [&](const Dated& each) {
    read.entries.push_back({each.at, each.entry});
  });
  return read;
}

}  // namespace sluice::record::testing
