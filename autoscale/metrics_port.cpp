#include "autoscale/metrics_port.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <thread>
#include <variant>

#include "metrics/prometheus.h"
#include "service/http/server.h"
#include "service/http/tcp_listen.h"
#include "service/protocol/api_error.h"

namespace sluice {
namespace asio = boost::asio;

class MetricsPort::Impl {
 public:
  Impl(const std::string& address, std::function<std::string()> page)
      : page_(std::move(page)), server_(context_, handlers()), timer_(context_) {
    const auto listening = http::listen_tcp(address);
    if (const auto* problem = std::get_if<std::string>(&listening)) {
      throw std::runtime_error(*problem);
    }
    address_ = http::bound_address(std::get<int>(listening));
    server_.listen_tcp(std::get<int>(listening));
    tick();
    thread_ = std::thread([this] { context_.run(); });
  }

  ~Impl() {
    context_.stop();
    thread_.join();
  }

  const std::string& address() const { return address_; }

 private:
  http::Handlers handlers() {
    http::Handlers handlers;
    handlers.handle = [this](const http::Request& request) { return answer(request); };
    handlers.closed = [](http::ConnectionId) {};
    handlers.keeps = [](http::ConnectionId) { return false; };
    handlers.error = answer_error;
    return handlers;
  }

  std::optional<http::Response> answer(const http::Request& request) const {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads) return http::Response{405, "only GET is served here\n", http::kPlainText, ""};
    if (request.target == "/metrics") {
      return http::Response{200, page_(), kPrometheusContentType, ""};
    }
    const bool is_health =
        request.target == "/livez" || request.target == "/healthz" || request.target == "/readyz";
    if (is_health) return http::Response{200, "ok\n", http::kPlainText, ""};
    return http::Response{404, "there is /metrics, /livez, /healthz and /readyz\n",
                          http::kPlainText, ""};
  }

  void tick() {
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      server_.tick(Clock::now());
      tick();
    });
  }

  std::function<std::string()> page_;
  asio::io_context context_{1};
  http::Server server_;
  asio::steady_timer timer_;
  std::string address_;
  std::thread thread_;
};

MetricsPort::MetricsPort(const std::string& address, std::function<std::string()> page)
    : impl_(std::make_unique<Impl>(address, std::move(page))) {}

MetricsPort::~MetricsPort() = default;

std::string MetricsPort::address() const { return impl_->address(); }

}  // namespace sluice
