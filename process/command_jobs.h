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
#include "costmodel/history.h"
#include "process/emergency_brake.h"
#include "process/measure_pace.h"
#include "process/runner.h"
#include "sluice/permit.h"

namespace sluice {

/// Jobs that the daemon itself runs: starts them, measures them, tells their permits and the
/// history what they use, keeps their timeouts and pulls the brake. All belongs to the thread of
/// the io_context, which must be the process's main one; to be made before any other thread, for
/// the sake of its Runner.
class CommandJobs {
 public:
  enum class Because { itself, timeout, asked };

  /// What is to be run.
  struct Order {
    Command command;
    JobRequest request;
    std::optional<Duration> timeout;
    Permit permit;  ///< Returned when all of the job has ended; empty: it is not governed.
  };
  struct Ended {
    RunEnd end;
    Because because = Because::itself;  ///< Why it was made to end.

    bool ok() const { return because == Because::itself && end.ok(); }
    Outcome outcome() const;
  };
  /// Called once for each job that was started, from the io_context only.
  using OnEnd = std::function<void(const Ended&)>;

  CommandJobs(boost::asio::io_context& context, Log log);
  ~CommandJobs();  ///< Ends every job, without a word.

  /// What is learned from them, and what the brake looks at, from now on. `history` may be null.
  void configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                 MemoryMeter meter);

  /// The job, or one line that says why it could not be started; its permit is returned then.
  std::variant<pid_t, std::string> start(Order order, OnEnd on_end);

  /// errno of the last `start` that failed.
  int start_error() const { return runner_.start_error(); }

  /// SIGTERM now, and two seconds later the end. Nothing for a job that has ended.
  void ask_to_end(pid_t job);

  std::size_t running() const { return running_.size(); }
  const std::string& means() const { return runner_.means(); }

 private:
  struct Running {
    Order order;
    OnEnd on_end;
    std::uint64_t number = 0;  ///< To the history.
    MeasurePace pace;
    TimePoint next_measure;
    std::optional<TimePoint> deadline;
    MemoryNeed expected;
    Because because = Because::itself;
    bool asked = false;  ///< To end; at `deadline` it is killed.
  };

  void wait_for_children();
  void look_soon();
  void look(TimePoint now);
  void measure(pid_t job, Running& running, TimePoint now);
  void keep_deadline(pid_t job, Running& running, TimePoint now);
  void ask(pid_t job, Running& running, Because because, TimePoint now);
  void reap();
  void finish(Running& running, Ended ended);

  Runner runner_;
  boost::asio::signal_set children_;
  boost::asio::steady_timer timer_;
  Log log_;
  std::shared_ptr<History> history_;
  ReservationOptions reservation_;
  MemoryMeter meter_;
  EmergencyBrake brake_;
  std::map<pid_t, Running> running_;
  std::uint64_t last_number_ = 0;
  bool looking_ = false;
};

}  // namespace sluice
