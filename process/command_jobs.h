#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/log.h"
#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"
#include "process/child/sampling_schedule.h"
#include "process/job_deadline.h"
#include "process/memory_brake.h"
#include "process/runner.h"
#include "sluice/permit.h"

namespace sluice {

/// Jobs that the daemon runs itself: starts them, measures them, reports their usage to their
/// permits and the history, enforces their timeouts and applies the memory brake. Belongs to the
/// thread of the io_context, which must be the main thread. Construct it before any other thread
/// exists, because of its Runner.
class CommandJobs {
 public:
  /// A job to run.
  struct Order {
    Command command;
    JobRequest request;
    std::optional<Duration> timeout;
    Permit permit;  ///< Returned when the whole job has ended; empty if it is not governed.
  };
  struct Ended {
    RunEnd end;
    JobDeadline::Because because = JobDeadline::Because::itself;
    ProfileRecorder recorded;  ///< Its use over time.

    bool ok() const { return because == JobDeadline::Because::itself && end.ok(); }
    Outcome outcome() const;
  };
  /// Called once for each started job, from the io_context only.
  using OnEnd = std::function<void(const Ended&)>;

  CommandJobs(boost::asio::io_context& context, Log log);
  ~CommandJobs();  ///< Ends every job without calling its OnEnd.

  /// Sets the history that learns from the jobs, the reservation rules and the brake's memory
  /// meter, from now on. `history` may be null.
  void configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                 MemoryMeter meter);

  /// Returns the job, or one line that says why it could not be started; the permit is returned
  /// then.
  std::variant<pid_t, std::string> start(Order order, OnEnd on_end);

  /// errno of the last `start` that failed.
  int start_error() const { return runner_.start_error(); }

  /// Sends SIGTERM now and kills the job two seconds later. Does nothing if the job has ended.
  void ask_to_end(pid_t job);

  /// What a running job was expected to need when it started.
  const Prediction& expected(pid_t job) const { return running_.at(job).expected; }

  std::size_t running() const { return running_.size(); }
  const std::string& isolation_description() const { return runner_.isolation_description(); }

 private:
  struct Running {
    Order order;
    OnEnd on_end;
    std::uint64_t number = 0;  ///< The job's number in the history.
    SamplingSchedule pace;
    ProfileRecorder recorded;
    TimePoint next_measure;
    JobDeadline deadline;
    Prediction expected;
  };

  void wait_for_children();
  void poll_soon();
  void poll(TimePoint now);
  void measure(pid_t job, Running& running, TimePoint now);
  void poll_brake(TimePoint now);
  void reap();
  void finish(Running& running, Ended ended);

  Runner runner_;
  boost::asio::signal_set children_;
  boost::asio::steady_timer timer_;
  Log log_;
  std::shared_ptr<History> history_;
  ReservationOptions reservation_;
  MemoryMeter meter_;
  MemoryBrake brake_;
  std::map<pid_t, Running> running_;
  std::uint64_t last_number_ = 0;
  bool polling_ = false;
};

}  // namespace sluice
