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
      JobSubmitted{.job = JobId{17},
                   .id = {"build-17"},
                   .key = {"g++:heavy"},
                   .queue = {"nightly/3"},
                   .user = 1000,
                   .priority = -5,
                   .cost = Points{12},
                   .parent = JobId{3},
                   .program = {"g++"},
                   .variant = {"v"},
                   .own_cost = Points{12},
                   .memory = Bytes{1 << 20},
                   .inventory = 2,
                   .locks = {{{"node"}, {"exclusive:n1"}}},
                   .resources = {{{"db"}, 3}},
                   .after = {JobId{4}, JobId{5}},
                   .global_lock = true,
                   .reasons = std::vector{Name{"rate-limit:2:lint"}, Name{"nightly"}},
                   .on_failure = "hold",
                   .nice = -5,
                   .declares_locks = true},
      JobWaits{.job = JobId{17},
               .code = "memory",
               .binding = {"memory"},
               .cost = Points{12},
               .usage = Points{30},
               .size = Points{40},
               .ahead = JobId{9},
               .needs = 1'300'000'000,
               .free = -5,
               .total = 8'000'000'000,
               .place = 300},
      JobStarted{.job = JobId{17},
                 .cost = Points{12},
                 .usage = Points{42},
                 .size = Points{50},
                 .kept = Bytes{1ULL << 33},
                 .expected_memory = Bytes{1 << 30},
                 .expected_time = 90s,
                 .expected_millicores = 1500,
                 .rung = "key"},
      JobFinished{.job = JobId{17},
                  .outcome = "ok",
                  .ended_by = "finish",
                  .refusal = "",
                  .measured = true,
                  .cpu = 80s,
                  .wall = 95s,
                  .peak = Bytes{1 << 29},
                  .cpu_delay = 3s,
                  .disk = Bytes{1 << 21},
                  .cores_over_time = {{4s, 10}, {90s, 1200}},
                  .memory_over_time = {{90s, Bytes{1 << 29}}}},
      WindowChanged{.from = Points{40},
                    .to = Points{20},
                    .cause = "red",
                    .sensor = {"load"},
                    .said = {"load1 is 9"},
                    .busy = 985,
                    .waiting = 1200,
                    .pending = 41},
      SensorVerdict{{"load"}, true, true, false, {"load1 is 9"}},
      Level{.size = Points{20},
            .usage = Points{18},
            .running = 3,
            .pending = 41,
            .busy = 985,
            .waiting = std::nullopt,
            .others = Bytes{1 << 28}},
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
