#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/non_copyable.h"
#include "service/gearman/connection.h"
#include "sluice/units.h"

namespace sluice::gearman {

/// Delay before the next attempt to reach a server, after `failures` in a row (>= 1). Its base
/// doubles from 100 ms up to 30 s. The delay is half the base plus jitter of up to the other half,
/// drawn from `seed` and the number of failures, so that workers that lost their server at the same
/// time do not all return at once. Pure.
Duration reconnect_delay(std::uint64_t failures, std::uint64_t seed);

/// A worker's connections to one Gearman server: one that listens for jobs and is reopened whenever
/// it is lost, and one more for each job handed over. Use it on the io_context's thread, which must
/// have stopped running when this is destroyed.
class Link : NonCopyable {
 public:
  /// Called only from the io_context, never from within a call of this class.
  struct Handlers {
    /// There may be a job: reserve a slot, then call `grab`.
    std::function<void()> woken;
    /// There is no job after all, or no server to ask: a slot reserved for it is free.
    std::function<void()> in_vain;
    /// A job, and the connection for reporting its end: set handlers on that at once. The job takes
    /// the slot.
    std::function<void(Job, std::shared_ptr<Connection>)> assigned;
    Log log;
  };

  /// `seed`: for the jitter of reconnects; different for each worker.
  Link(boost::asio::io_context& context, Address address, std::uint64_t seed, Handlers handlers)
      : context_(context),
        address_(std::move(address)),
        seed_(seed),
        handlers_(std::move(handlers)),
        retry_(context) {}
  ~Link();

  void start() { listen(); }

  /// Sets the functions to offer, now and after each reconnect; none at first.
  void offer(std::vector<std::string> functions);

  /// Requests a job for a reserved slot. False if no server is connected or there is no reason to
  /// ask.
  bool grab();

  /// Stops listening. A job that the server is just handing over returns to its queue. Connections
  /// of jobs stay open.
  void stop();

  bool is_connected() const { return listener_ && listener_->is_open(); }
  /// The last reason why it is not connected; empty if it is, or was never tried.
  const std::string& problem() const { return problem_; }
  std::string name() const { return address_.host + ":" + address_.port; }

 private:
  void listen();
  void opened();
  void heard(Session::Event& event);
  void hand_over(Job job);
  void lost(const std::string& reason);

  boost::asio::io_context& context_;
  const Address address_;
  const std::uint64_t seed_;
  const Handlers handlers_;
  boost::asio::steady_timer retry_;
  std::shared_ptr<Connection> listener_;
  std::vector<std::string> functions_;
  std::uint64_t failures_ = 0;  ///< In a row.
  std::optional<TimePoint> open_since_;
  std::string problem_;
  bool announced_ = false;  ///< A successful connection was logged.
  bool stopped_ = false;
};

}  // namespace sluice::gearman
