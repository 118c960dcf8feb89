#include "service/daemon/statsd_timer.h"

#include "base/host_identity.h"

namespace sluice {

void StatsdTimer::configure(const StatsdOptions& options) {
  timer_.cancel();
  if (options.address != options_.address || options.address.empty()) sender_.reset();
  options_ = options;
  if (options_.address.empty()) return;
  if (!sender_) sender_.emplace(options_.address);
  wait();
}

std::optional<std::uint64_t> StatsdTimer::failures() const {
  if (!sender_) return std::nullopt;
  return sender_->failures();
}

void StatsdTimer::wait() {
  timer_.expires_after(options_.every);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error || !sender_) return;
    wait();  // First, so that sending continues if this one fails.
    Status now = status_();
    sender_->send(statsd_datagrams(now, previous_, options_, this_host_name()));
    previous_ = std::move(now);
  });
}

}  // namespace sluice
