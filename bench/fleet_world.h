#pragma once

#include <cstdint>
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

/// A day of arrivals: busy hours, quiet nights, bursts; jobs last from one minute to four hours.
std::vector<Job> day_of_jobs(std::uint64_t seed);

/// The result of the day under one autoscaler.
struct Outcome {
  double executor_hours = 0;  ///< From order to termination.
  double hours_paid = 0;      ///< The same, with every started hour counted in full.
  int most = 0;               ///< Peak number of executors.
  int slow_hour = 0;          ///< Increase in executors from the start to the end of the slow hour.
  std::int64_t lost = 0;      ///< Jobs lost with their executor while running; they ran again.
  std::vector<std::int32_t> waits;  ///< Seconds until each job first started.
  std::int64_t left = 0;            ///< Jobs that had not started by the end of the day.
};

/// Executors in virtual time. A job goes to a random executor with room, as it does where executors
/// fetch their work.
///
/// An executor boots for 90 to 150 s. Its window starts at 40 points and grows by 10 every 15 s up
/// to a limit of 80 to 120. From 11:00 to 12:00 everything waits for one slow dependency, which
/// sustains half of the previous work, however many executors use it: windows are cut until
/// together they are half of their previous total.
class World {
 public:
  World(const std::vector<Job>& jobs, int executors, std::uint64_t seed);

  /// Advances the time by one second.
  void step();
  std::int32_t now() const { return now_; }

  void order(int count);
  /// Terminates executors; the jobs running on them are lost and queued again.
  void end(const std::vector<int>& executors);
  /// Drained executors take no more work, and terminate when idle.
  void drain(const std::vector<int>& executors);

  /// The autoscaler's observation; the `id` of executor 12 is "e00012".
  const Observation& observe();
  static int number_of(const std::string& id);

  /// Executors that exist and do not drain, youngest first.
  std::vector<int> youngest_first() const;

  double usage() const { return usage_; }
  double pending() const { return pending_; }
  /// The mean window of the running executors, in points.
  double mean_window() const;

  Outcome finish();

 private:
  struct Machine {
    enum class State { none, booting, runs, draining };
    State state = State::none;
    std::uint32_t generation = 0;
    std::int32_t ordered = 0, ready = 0;
    std::int32_t window = 0, healthy = 0, usage = 0;
    std::int32_t place = -1;             ///< Index in `open_`; -1 if it has no room.
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
  std::vector<int> free_;               ///< Numbers of machines that do not exist.
  std::vector<int> open_;               ///< Machines with room for any job.
  std::vector<std::vector<End>> ends_;  ///< By work done, in seconds.
  std::vector<std::uint32_t> queue_;
  std::size_t head_ = 0, next_ = 0;
  std::vector<bool> started_;
  double work_ = 0;  ///< Progress, in seconds, of a job running since midnight.
  double usage_ = 0, pending_ = 0;
  double before_running_ = 0;  ///< Running jobs when the slow hour began.
  double running_ = 0;
  std::int32_t now_ = 0;
  int there_ = 0, before_slow_ = 0;
  Observation seen_;
  Outcome outcome_;
};

inline constexpr std::int32_t kDay = 86400;
inline constexpr std::int32_t kSlowFrom = 11 * 3600, kSlowUntil = 12 * 3600;

}  // namespace sluice::fleet
