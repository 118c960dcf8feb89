#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "service/gearman/connection.h"

namespace sluice {

/// A worker's ties to one Gearman server: one connection that listens there, opened again whenever
/// it is lost, and one more for each job that it was handed. All belongs to the thread of the
/// io_context, which must not run any more when this is destroyed.
class GearmanLink {
 public:
  /// Called from the io_context only, never from within a call of this class.
  struct Handlers {
    /// There may be a job: reserve a slot, then call `grab`.
    std::function<void()> woken;
    /// There is none after all, or nobody to ask any more: a slot that is reserved for it is free.
    std::function<void()> in_vain;
    /// A job, and the connection on which its end is to be told: give that handlers of its own at
    /// once. The slot is the job's.
    std::function<void(GearmanJob, std::shared_ptr<GearmanConnection>)> assigned;
    Log log;
  };

  /// `seed`: for the jitter between two attempts; one of its own for each worker.
  GearmanLink(boost::asio::io_context& context, GearmanAddress address, std::uint64_t seed,
              Handlers handlers);
  ~GearmanLink();

  GearmanLink(const GearmanLink&) = delete;
  GearmanLink& operator=(const GearmanLink&) = delete;

  void start();

  /// What it offers from now on, there and after each reconnection; nothing at first.
  void offer(std::vector<GearmanFunction> functions);

  /// Asks for a job, for which a slot is reserved. False: there is nobody to ask, or no reason to.
  bool grab();

  /// Listens no more. A job that the server is handing over at this very moment goes back to its
  /// queue. Connections of jobs are left alone.
  void stop();

  bool is_connected() const { return listener_ && listener_->is_open(); }
  /// Why it is not connected, as it was told last; empty: it is, or was never tried.
  const std::string& problem() const { return problem_; }
  std::string name() const { return address_.host + ":" + address_.port; }

 private:
  void listen();
  void opened();
  void heard(GearmanSession::Event& event);
  void hand_over(GearmanJob job);
  void lost(const std::string& reason);

  boost::asio::io_context& context_;
  const GearmanAddress address_;
  const std::uint64_t seed_;
  const Handlers handlers_;
  boost::asio::steady_timer retry_;
  std::shared_ptr<GearmanConnection> listener_;
  std::vector<GearmanFunction> functions_;
  std::uint64_t failures_ = 0;  ///< In a row.
  std::optional<TimePoint> open_since_;
  std::string problem_;
  bool announced_ = false;  ///< That it is connected.
  bool stopped_ = false;
};

}  // namespace sluice
