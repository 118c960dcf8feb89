#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>

#include "metrics/statsd.h"
#include "metrics/statsd_sender.h"

namespace sluice {

/// Sends the status to statsd periodically, on the io_context's thread.
class StatsdTimer {
 public:
  StatsdTimer(boost::asio::io_context& context, std::function<Status()> status)
      : timer_(context), status_(std::move(status)) {}

  /// Starts or changes sending; stops it if there is no address.
  void configure(const StatsdOptions& options);

  void stop() { timer_.cancel(); }

  /// Datagrams lost; nullopt if there is no statsd.
  std::optional<std::uint64_t> failures() const;

 private:
  void wait();

  boost::asio::steady_timer timer_;
  std::function<Status()> status_;
  StatsdOptions options_;
  std::optional<StatsdSender> sender_;
  Status previous_;
};

}  // namespace sluice
