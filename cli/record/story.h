#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/segment.h"
#include "sluice/refusal.h"

namespace sluice::cli {

/// When something happened.
struct When {
  TimePoint at;
  record::WallTime wall;
  std::size_t boot = 0;  ///< Counts the boots in the record.

  /// In the order of the record, whatever the wall clock was set to.
  std::strong_ordering operator<=>(const When& other) const {
    const auto by_boot = boot <=> other.boot;
    return by_boot != 0 ? by_boot : at <=> other.at;
  }
};

/// As JSON has it: "2026-03-01T12:00:00.123Z".
std::string wall_text(const When& when);

/// By the monotonic clock within one boot, else by the wall clock; never negative.
Duration between(const When& from, const When& to);

/// An entry of the record with its time.
template <typename Facts>
struct Happened {
  When when;
  Facts facts;
};

/// What the record says of one job.
struct JobStory {
  using Wait = Happened<record::JobWaits>;
  using Change = Happened<record::JobChanged>;
  using Start = Happened<record::JobStarted>;
  using End = Happened<record::JobFinished>;

  JobId number;
  std::optional<When> submitted;  ///< nullopt if that is not on record: `facts` are unknown, too.
  record::JobSubmitted facts;     ///< As it was submitted, whatever has been changed since.
  /// When the daemon told `facts` again, if what it told at the submission is not on record.
  std::optional<When> restated;
  std::vector<Wait> waits;
  std::vector<Change> changes;
  std::optional<Start> start;
  bool is_start_restated = false;  ///< Usage and window of that time are unknown.
  std::optional<End> end;
  /// When the record broke off, by a gap or a kill, if nothing says how the job went on.
  std::optional<When> lost;

  /// "build-17", else "17".
  std::string name() const;
  /// The last one that it was moved to; empty if it is hidden from the reader.
  const std::string& queue() const;
  /// The one that it was in then; from the time of a move on, the one that it was moved to.
  const std::string& queue_at(const When& when) const;
  /// Its points, those of its start if it has started; nullopt if they are unknown.
  std::optional<Points> cost() const;
  /// When it was submitted, or else was first on record; nullopt if it has no entry.
  std::optional<When> first() const;
  bool ran_at_end() const { return start && !end && !lost; }
  bool waited_at_end() const { return !start && !end && !lost; }
};

/// What the entries of a record say together.
class Story {
 public:
  void add(const record::Dated& dated);
  /// Frees the memory of jobs that have ended, but for those that the next daemon may take over.
  void drop_ended();

  /// The last one of that number or client's id; nullptr if there is none.
  const JobStory* find(std::string_view id) const;
  const std::vector<JobStory>& jobs() const { return jobs_; }
  std::string name_of(JobId job) const;
  /// The same as a function, valid as long as the story.
  JobNames names() const {
    return [this](JobId job) { return name_of(job); };
  }

  /// Of the last entry that is no start of a segment.
  const std::optional<When>& last() const { return last_; }
  const std::optional<record::Level>& level() const { return level_; }
  const std::optional<record::WindowChanged>& window() const { return window_; }
  const std::optional<When>& window_when() const { return window_when_; }
  /// The sensors that are red, by name.
  const std::map<std::string, record::SensorVerdict>& red() const { return red_; }
  /// Pressures in thousandths, by sensor.
  const std::map<std::string, std::int64_t>& pressures() const { return pressures_; }
  std::uint64_t lost() const { return lost_; }
  /// The jobs that live as well: the daemon had no room to tell them again.
  std::uint64_t unnamed() const { return unnamed_; }

 private:
  /// A job that the record names lives on, whatever was lost before, and although the daemon before
  /// recorded its end as it stopped.
  JobStory& living(JobId number);
  /// The number is of another job from now on, so this one is over.
  void replace(JobId number);
  JobStory& begin_job(JobId number);
  void begin_segment(const record::SegmentStart& start);
  void begin_daemon(const record::DaemonEvent& started);
  /// Entries are missing after `from`, which may be about any job that has not ended.
  void lose(const std::optional<When>& from);
  /// All jobs that live have just been named: lost ones are over, though how is not on record.
  void give_up_lost();
  void restate(const When& when, const record::JobRestated& again);
  void restate(const record::Restated& all);
  void apply(const When& when, const record::Entry& entry);

  std::vector<JobStory> jobs_;
  std::set<std::size_t> open_;  ///< Those of `jobs_` that live, or may live for all that is known.
  std::map<JobId, std::size_t> by_number_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::string boot_;
  std::size_t boots_ = 0;
  std::optional<When> last_, before_segment_, window_when_;
  std::optional<When> stopping_;  ///< Since when the daemon stops.
  std::optional<record::Level> level_;
  std::optional<record::WindowChanged> window_;
  std::map<std::string, record::SensorVerdict> red_;
  std::map<std::string, std::int64_t> pressures_;
  std::uint64_t lost_ = 0, unnamed_ = 0;
};

/// The reason as the daemon gave it; valid as long as `wait`.
Refusal refusal_of(const record::JobWaits& wait);

}  // namespace sluice::cli
