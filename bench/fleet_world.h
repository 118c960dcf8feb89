#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "governor/autoscaler/autoscaler.h"

namespace sluice::fleet {

/// One job of the day.
struct Job {
  std::int32_t at = 0;      ///< Seconds after midnight.
  std::int32_t length = 0;  ///< Seconds of work while all is well.
  std::int32_t cost = 0;    ///< Points.
};

/// A day of arrivals: busy hours, quiet nights, bursts; jobs of a minute to four hours.
std::vector<Job> day_of_jobs(std::uint64_t seed);

/// What the day came to under one autoscaler.
struct Outcome {
  double executor_hours = 0;  ///< From order to end.
  double hours_paid = 0;      ///< The same, with every hour that was begun.
  int most = 0;               ///< Executors at once.
  int slow_hour = 0;          ///< Executors more at the end of the slow hour than at its beginning.
  std::int64_t lost = 0;      ///< Jobs that ran when their executor was taken; they ran again.
  std::vector<std::int32_t> waits;  ///< Seconds until each job started first.
  std::int64_t left = 0;            ///< Jobs that had not started when the day ended.
};

/// Executors in virtual time. Work goes to a random one that has room, as it does where executors
/// ask for it.
///
/// An executor boots for 90 to 150 s. Its window starts at 40 points and grows by 10 each quarter
/// of a minute to 80 to 120. From 11:00 to 12:00 everything waits for one slow dependency, which
/// bears half of the work that was done before, however many executors ask it: windows are cut
/// until all of them together are half of what they were.
class World {
 public:
  World(const std::vector<Job>& jobs, int executors, std::uint64_t seed);

  /// A second passes.
  void step();
  std::int32_t now() const { return now_; }
  int size() const { return there_; }

  void order(int count);
  /// Ends executors; jobs that run on them are lost, and queued again.
  void end(const std::vector<int>& executors);
  /// They take no more work, and end when they have nothing to do.
  void drain(const std::vector<int>& executors);

  /// What an autoscaler sees; `id` of executor 12 is "e00012".
  const Observation& observe();
  static int number_of(const std::string& id);

  /// Executors that are there and do not drain, the youngest first.
  std::vector<int> youngest_first() const;

  double usage() const { return usage_; }
  double pending() const { return pending_; }
  /// The mean window of those that run, in points.
  double mean_window() const;

  Outcome finish();

 private:
  struct Machine {
    enum class State { none, booting, runs, draining };
    State state = State::none;
    std::uint32_t generation = 0;
    std::int32_t ordered = 0, ready = 0;
    std::int32_t window = 0, healthy = 0, usage = 0;
    std::int32_t place = -1;             ///< In `open_`; -1: it has no room.
    std::vector<std::uint32_t> running;  ///< Jobs.
  };
  struct End {
    std::uint32_t job;
    std::int32_t machine;
    std::uint32_t generation;
  };

  void remove(int machine);
  void move_windows();
  void finish_jobs();
  void arrive();
  void start_jobs();
  void start(std::uint32_t job, int machine);
  void settle(int machine);
  bool slow() const;

  const std::vector<Job>& jobs_;
  std::mt19937_64 random_;
  std::vector<Machine> machines_;
  std::vector<int> free_;               ///< Numbers of machines that are not there.
  std::vector<int> open_;               ///< Machines with room for any job.
  std::vector<std::vector<End>> ends_;  ///< By work done, in seconds.
  std::vector<std::uint32_t> queue_;
  std::size_t head_ = 0, next_ = 0;
  std::vector<bool> started_;
  double work_ = 0;  ///< Seconds that a job which ran all day would have got on.
  double usage_ = 0, pending_ = 0;
  double before_running_ = 0;  ///< Jobs at once when the slow hour began.
  double running_ = 0;
  std::int32_t now_ = 0;
  int there_ = 0, before_slow_ = 0;
  Observation seen_;
  Outcome outcome_;
};

inline constexpr std::int32_t kDay = 86400;
inline constexpr std::int32_t kSlowFrom = 11 * 3600, kSlowUntil = 12 * 3600;

}  // namespace sluice::fleet
