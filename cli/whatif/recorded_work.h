#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/record/span.h"
#include "cli/record/story.h"
#include "record/segment.h"

namespace sluice::cli {

/// What a record says of its jobs, and of everything around them that a model needs.
struct RecordedWork {
  template <typename What>
  using Series = std::vector<std::pair<When, What>>;

  Story story;  ///< Of the jobs.
  Series<record::Level> levels;
  Series<record::Configured> configurations;
  Series<record::Pressures> pressures;
  /// In `operations`: a daemon has started, so nothing is paused but what the configuration pauses.
  static constexpr std::string_view kRestart = "restart";
  Series<std::string> operations;  ///< What operators did: "paused", "queue nightly paused".
  Series<std::vector<std::string>> standing;     ///< All that stands of that, as it was told again.
  Series<record::Gap> gaps;                      ///< Entries that are missing, by when they were.
  std::map<std::string, std::int64_t> pressing;  ///< The last pressure of each sensor.
  std::map<std::string, std::int64_t> failing;   ///< Those that fail, as they were last read.

  /// The first and the last entry of the part that becomes a scenario; nullopt without entries.
  std::optional<When> from, to;
  bool has_calls = false;  ///< For an exact replay, which a record of decisions has in a folder.
  bool is_part = false;    ///< The record has entries outside it.

  /// In the order of the record, also the entries outside the part.
  void add(const record::Dated& dated, Side side);

 private:
  void press(const When& when, const record::Pressures& changed);
  /// A pressure that was not read.
  void say(const When& when, const std::string& sensor, std::int64_t pressure);
  /// By value, as the name may be the one in `pressing`, which goes.
  void relieve(const When& when, std::string sensor);
  void judge(const When& when, const record::SensorVerdict& verdict);
  void fail(const When& when, const record::SensorVerdict& verdict);
  void recover(const When& when, const record::SensorVerdict& verdict);
  void restate(const When& when, const record::Restated& all);
  void happen(const When& when, const record::DaemonEvent& event);
};

}  // namespace sluice::cli
