#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/host_identity.h"
#include "metrics/statsd.h"
#include "metrics/statsd_sender.h"

namespace sluice {

/// Sends the status to statsd periodically, on the io_context's thread.
class StatsdTimer {
 public:
  StatsdTimer(boost::asio::io_context& context, std::function<Status()> status)
      : timer_(context), status_(std::move(status)) {}

  /// Starts or changes sending; stops it if there is no address.
  void configure(const StatsdOptions& options) {
    timer_.cancel();
    if (options.address != options_.address || options.address.empty()) sender_.reset();
    options_ = options;
    if (options_.address.empty()) return;
    if (!sender_) sender_.emplace(options_.address);
    wait();
  }

  void stop() { timer_.cancel(); }

  /// Datagrams lost; nullopt if there is no statsd.
  std::optional<std::uint64_t> failures() const {
    return sender_ ? std::optional(sender_->failures()) : std::nullopt;
  }

 private:
  void wait() {
    timer_.expires_after(options_.every);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error || !sender_) return;
      wait();  // First, so that sending continues if this one fails.
      Status now = status_();
      sender_->send(statsd_datagrams(now, previous_, options_, this_host_name()));
      previous_ = std::move(now);
    });
  }

  boost::asio::steady_timer timer_;
  std::function<Status()> status_;
  StatsdOptions options_;
  std::optional<StatsdSender> sender_;
  Status previous_;
};

}  // namespace sluice
