#include "service/gearman/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <utility>

namespace sluice::gearman {
namespace {
namespace asio = boost::asio;

/// Most bytes already sent that may stay in front of unsent ones.
constexpr std::size_t kMostSent = 256 * 1024;

void set_number(int socket, int level, int option, int number) {
  // If this fails, a server that is gone is only noticed later.
  setsockopt(socket, level, option, &number, sizeof number);
}

}  // namespace

void Connection::open() {
  phase_ = Phase::opening;
  expect_within(address_.patience, "the server does not accept the connection");
  resolver_.async_resolve(
      address_.host, address_.port,
      [self = shared_from_this()](Error error, const asio::ip::tcp::resolver::results_type& all) {
        if (self->phase_ != Phase::opening) return;
        if (error) return self->fail("its name cannot be resolved: " + error.message());
        self->connect(all);
      });
}

void Connection::connect(const asio::ip::tcp::resolver::results_type& places) {
  asio::async_connect(socket_, places,
                      [self = shared_from_this()](Error error, const asio::ip::tcp::endpoint&) {
                        if (self->phase_ != Phase::opening) return;
                        if (error) return self->fail(error.message());
                        self->connected();
                      });
}

void Connection::connected() {
  phase_ = Phase::open;
  expect_nothing();
  keep_alive();
  if (const auto opened = handlers_.opened) opened();
  flush();
  read();
}

/// A job may run for hours without traffic. A server whose host is gone is noticed within a minute.
void Connection::keep_alive() {
  const int socket = socket_.native_handle();
  set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_number(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_number(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
  set_number(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

void Connection::read() {
  if (phase_ != Phase::open) return;
  socket_.async_read_some(asio::buffer(chunk_),
                          [self = shared_from_this()](Error error, std::size_t count) {
                            if (self->phase_ != Phase::open) return;
                            if (error == asio::error::eof)
                              return self->fail("the server closed the connection");
                            if (error) return self->fail(error.message());
                            self->on_read(count);
                          });
}

void Connection::on_read(std::size_t count) {
  for (Session::Event& event : session_.receive({chunk_.data(), count})) {
    if (const auto* broken = std::get_if<Session::Broken>(&event)) {
      return fail(broken->reason);
    }
    const bool is_last = std::holds_alternative<Session::Settled>(event);
    if (is_last) close();
    // A handler may replace itself.
    if (const auto tell = handlers_.event) tell(event);
    if (phase_ != Phase::open) return;
  }
  flush();
  read();
}

void Connection::flush() {
  if (phase_ != Phase::open) return;
  mind_answer();
  if (written_ > kMostSent || written_ == out_.size()) out_.erase(0, std::exchange(written_, 0));
  out_ += session_.take_output();
  if (!writing_) write_rest();
}

void Connection::write_rest() {
  if (written_ == out_.size()) return;
  writing_ = true;
  // The buffer may grow, and so move, during the wait: first wait, then send.
  socket_.async_wait(asio::socket_base::wait_write, [self = shared_from_this()](Error error) {
    self->writing_ = false;
    if (self->phase_ != Phase::open) return;
    if (!error) {
      self->socket_.non_blocking(true, error);
      self->written_ += self->socket_.write_some(
          asio::buffer(self->out_.data() + self->written_, self->out_.size() - self->written_),
          error);
    }
    if (error && error != asio::error::would_block) return self->fail(error.message());
    self->flush();
    if (const auto sent = self->handlers_.sent; sent && self->backlog() == 0) sent();
  });
}

/// A grab holds a slot, and a job its points, until the server answers: no server may hold them for
/// ever.
void Connection::mind_answer() {
  const bool due =
      session_.state() == Session::State::grabbing || session_.state() == Session::State::settling;
  if (due == answer_due_) return;
  answer_due_ = due;
  if (due) {
    expect_within(address_.patience, "the server does not answer");
  } else {
    expect_nothing();
  }
}

void Connection::expect_within(Duration patience, const char* what) {
  deadline_.expires_after(patience);
  deadline_.async_wait([self = shared_from_this(), what, number = ++expected_](Error error) {
    // A timer that fired just before it was cancelled arrives without an error.
    if (!error && number == self->expected_) self->fail(what);
  });
}

void Connection::expect_nothing() {
  ++expected_;
  deadline_.cancel();
}

void Connection::fail(const std::string& reason) {
  close();
  if (const auto closed = std::exchange(handlers_, {}).closed) closed(reason);
}

void Connection::close() {
  phase_ = Phase::closed;
  resolver_.cancel();
  expect_nothing();
  Error ignored;
  socket_.close(ignored);
}

}  // namespace sluice::gearman
