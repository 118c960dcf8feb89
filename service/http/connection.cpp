#include "service/http/connection.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <exception>
#include <utility>

namespace sluice::http {
namespace {
namespace asio = boost::asio;
using boost::system::error_code;

/// How long a client may take to notice that it was disconnected.
constexpr Duration kLinger = std::chrono::seconds(2);

/// The buffer of an answer up to this size is kept for the next.
constexpr std::size_t kSmallAnswer = 64 * 1024;

enum class After { keep, close };
enum class Body { sent, left_out };

void append_answer(std::string& out, const Response& response, Body body, After after) {
  namespace beast = boost::beast::http;
  const auto reason =
      beast::obsolete_reason(beast::int_to_status(static_cast<unsigned>(response.status)));
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason.data(), reason.size());
  out.append("\r\nContent-Type: ").append(response.content_type);
  out += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
  // A stream ends when its connection closes.
  if (response.then == Response::Then::end) {
    out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
  }
  out += response.headers;
  if (after == After::close) out += "Connection: close\r\n";
  out += "\r\n";
  if (body == Body::sent) out += response.body;
}

Response error_answer(const Handlers& handlers, int status, std::string_view code,
                      std::string_view message) {
  if (handlers.error) return handlers.error(status, code, message);
  return {status, std::string(message) + "\n", kPlainText, ""};
}

}  // namespace

Connection::Connection(Socket socket, ConnectionId id, Peer peer, std::shared_ptr<Owner> owner)
    : socket_(std::move(socket)),
      id_(id),
      peer_(std::move(peer)),
      owner_(std::move(owner)),
      parser_(owner_->limits.header_bytes, peer_.transport == Transport::tcp
                                               ? owner_->limits.tcp_body_bytes
                                               : owner_->limits.body_bytes),
      descriptors_(owner_->descriptors) {}

void Connection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  set_deadline(idle_limit());
  read();
}

template <typename Work>
void Connection::guarded(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& error) {
    if (owner_->handlers.failed) owner_->handlers.failed(error.what());
  } catch (...) {
    if (owner_->handlers.failed) owner_->handlers.failed("an unknown exception was thrown");
  }
  close();
}

void Connection::read() {
  if (reading_ || has_ended_ || state_ == State::closed) return;
  reading_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->reading_ = false;
    if (self->state_ == State::closed) return;
    if (error) return self->close();
    self->guarded([&] { self->receive(); });
  });
}

/// Asio's own reads would lose the descriptors sent with the bytes.
void Connection::receive() {
  const ssize_t count = descriptors_.receive(socket_.native_handle(), chunk_);
  const bool is_early = count < 0 && (errno == EAGAIN || errno == EINTR);
  if (is_early) return read();
  if (count < 0) return close();
  if (count == 0) return on_end();
  on_read(static_cast<std::size_t>(count));
}

/// A client that hangs up while its answer is deferred is taken to have gone.
void Connection::on_end() {
  has_ended_ = true;
  const bool is_asked = state_ == State::idle && !in_.empty();
  if (state_ != State::writing && !awaits_turn_ && !is_asked) close();
}

void Connection::on_read(std::size_t count) {
  if (state_ == State::lingering || streams_) {
    descriptors_.clear();
    return read();
  }
  in_.append(chunk_.data(), count);
  if (state_ == State::idle || state_ == State::reading) return process();
  // An answer is due: pipelined bytes must fit this limit, then reading stops.
  if (in_.size() < owner_->limits.header_bytes) read();
}

void Connection::process() {
  if (state_ != State::idle && state_ != State::reading) return;
  Next next = Next::parse_on;
  while (next == Next::parse_on) next = parse_one();
}

Connection::Next Connection::parse_one() {
  if (in_.empty()) return read_on();
  if (state_ == State::idle) {
    state_ = State::reading;
    set_deadline(owner_->limits.request);
  }
  const auto result = parser_.put(in_);
  if (const auto* failure = std::get_if<Parser::Failure>(&result)) {
    fail(*failure);
    return Next::wait;
  }
  const auto& progress = std::get<Parser::Progress>(result);
  in_.erase(0, progress.used);
  if (progress.done) {
    handle();
    return Next::wait;
  }
  // The parser bounds a header, but not the lines between the chunks of a body.
  if (in_.size() > owner_->limits.header_bytes) {
    fail({431, "a line between two chunks is larger than " +
                   std::to_string(owner_->limits.header_bytes / 1024) + " KiB"});
    return Next::wait;
  }
  // A parser that consumed nothing waits for the rest of a line.
  if (parser_.expects_continue() && !continued_) {
    continued_ = true;
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code ignored;
    socket_.write_some(asio::buffer(go_on.data(), go_on.size()), ignored);
  }
  if (progress.used > 0 && !in_.empty()) return Next::parse_on;
  return read_on();
}

Connection::Next Connection::read_on() {
  has_ended_ ? close() : read();
  return Next::wait;
}

void Connection::handle() {
  if (is_read_for_nobody()) return close();
  state_ = State::handling;
  set_deadline(std::nullopt);
  awaits_turn_ = true;
  if (peer_.transport == Transport::unix_socket) return answer();
  owner_->wait_for_turn(id_);
  read();
}

/// A change is made though nobody awaits the answer: a client may release its permit and exit at
/// once. The kernel reports a hangup of a Unix socket only if its peer can neither send nor
/// receive: not of one that has only finished sending.
bool Connection::is_read_for_nobody() {
  if (peer_.transport != Transport::unix_socket) return false;
  const std::string_view method = parser_.request().method;
  if (method != "GET" && method != "HEAD") return false;
  pollfd peer{socket_.native_handle(), 0, 0};
  return poll(&peer, 1, 0) == 1 && (peer.revents & POLLHUP) != 0;
}

void Connection::answer() {
  guarded([this] { handle_request(); });
}

void Connection::handle_request() {
  awaits_turn_ = false;
  Request request = parser_.request();
  request.connection = id_;
  request.peer = peer_;
  request.descriptors = &descriptors_;
  const auto response = owner_->handlers.handle(request);
  descriptors_.clear();
  if (response) return send(*response);
  has_ended_ ? close() : read();
}

void Connection::fail(Parser::Failure failure) {
  close_after_ = true;
  in_.clear();
  descriptors_.clear();
  send(error_answer(owner_->handlers, failure.status, "bad_request", failure.message));
}

void Connection::reply(Response response) {
  if (state_ == State::handling) guarded([&] { send(response); });
}

void Connection::send(const Response& response) {
  const bool failed = close_after_;
  const bool too_much = !failed && is_too_much(response);
  const bool head = !failed && parser_.head();
  const bool endless = !too_much && response.then == Response::Then::stream;
  streams_ = endless && !head && !owner_->stopping;
  close_after_ = failed || endless || owner_->stopping || !parser_.keep_alive();
  out_.clear();
  append_answer(out_,
                too_much ? error_answer(owner_->handlers, 503, "too_much_unsent",
                                        "other clients read their responses too slowly")
                         : response,
                head ? Body::left_out : Body::sent, close_after_ ? After::close : After::keep);
  if (streams_) in_.clear();
  write_out();
}

void Connection::write_out() {
  state_ = State::writing;
  written_ = 0;
  set_deadline(owner_->limits.write);
  write_more();
}

/// Writes as much as the socket takes: waiting for other turns must not count against the client's
/// time limit.
void Connection::write_more() {
  error_code error;
  written_ += socket_.write_some(asio::buffer(out_) + written_, error);
  if (error && error != asio::error::would_block) return close();
  if (written_ == out_.size()) return sent();
  count_unsent(out_.size());
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code failed) {
    if (self->state_ == State::closed) return;
    failed ? self->close() : self->guarded([&] { self->write_more(); });
  });
}

void Connection::push(std::string_view text) {
  if (state_ != State::streaming) return;
  if (has_untaken()) {
    if (!deadline_) set_deadline(owner_->limits.write);
    return;
  }
  out_ = text;
  write_out();
}

/// The kernel can buffer minutes of events. On a Unix socket, buffered bytes have not been read. On
/// a TCP socket, the other end has no space for them until its reader reads.
bool Connection::has_untaken() {
  int bytes = 0;
  return ioctl(socket_.native_handle(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/// Changes must always be answered, and a small answer costs little.
bool Connection::is_too_much(const Response& response) const {
  const std::size_t unsent = owner_->unsent[static_cast<std::size_t>(peer_.transport)];
  return unsent >= owner_->limits.unsent_bytes && response.body.size() > kSmallAnswer &&
         parser_.request().method == "GET";
}

void Connection::count_unsent(std::size_t bytes) {
  std::size_t& all = owner_->unsent[static_cast<std::size_t>(peer_.transport)];
  all -= std::exchange(unsent_, bytes);
  all += bytes;
}

void Connection::sent() {
  count_unsent(0);
  // Do not keep a long list for as long as its reader stays.
  if (out_.capacity() > kSmallAnswer) std::string().swap(out_);
  if (streams_ && !owner_->stopping) {
    state_ = State::streaming;
    set_deadline(std::nullopt);
    return has_ended_ ? close() : read();
  }
  // A stopping server cannot wait for clients to hang up.
  if (close_after_) return owner_->stopping ? close() : linger();
  parser_.next();
  continued_ = false;
  state_ = State::idle;
  set_deadline(idle_limit());
  if (!in_.empty()) return yield();
  has_ended_ ? close() : read();
}

void Connection::yield() {
  asio::post(socket_.get_executor(),
             [self = shared_from_this()] { self->guarded([&] { self->process(); }); });
}

/// Closing with unread bytes would make the kernel discard the answer before the client reads it.
void Connection::linger() {
  state_ = State::lingering;
  set_deadline(kLinger);
  error_code ignored;
  if (has_ended_) return close();
  socket_.shutdown(Socket::shutdown_send, ignored);
  read();
}

void Connection::tick(TimePoint now) {
  if (!deadline_ || now < *deadline_) return;
  switch (state_) {
    case State::idle:
      if (owner_->handlers.keeps(id_)) return;
      return close();
    case State::reading:
      return fail({408, "the request did not arrive in time"});
    case State::streaming:
      return has_untaken() ? close() : set_deadline(std::nullopt);
    default:
      return close();
  }
}

void Connection::stop() {
  const bool answers_nothing = state_ == State::idle || state_ == State::reading;
  if (answers_nothing || state_ == State::streaming) close();
}

void Connection::close() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  count_unsent(0);
  descriptors_.clear();
  const auto self = shared_from_this();
  error_code ignored;
  socket_.close(ignored);
  owner_->handlers.closed(id_);
  owner_->closed(id_);
}

Duration Connection::idle_limit() const {
  const bool tcp = peer_.transport == Transport::tcp;
  return tcp ? owner_->limits.idle_tcp : owner_->limits.idle_unix;
}

void Connection::set_deadline(std::optional<Duration> limit) {
  deadline_ = limit ? std::optional(Clock::now() + *limit) : std::nullopt;
}

}  // namespace sluice::http
