#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "service/gearman/session.h"
#include "sluice/units.h"

namespace sluice::gearman {

/// Address of a server, and how a worker talks to it.
struct Address {
  std::string host, port;
  std::string client_id;                         ///< The worker's name for people.
  std::size_t most_payload = 1024 * 1024;        ///< Bytes to keep of a job's payload.
  Duration patience = std::chrono::seconds(10);  ///< For the server to accept, and to answer.
};

/// One connection to a Gearman server: a session and its socket. Use it on the io_context's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// Called only from the io_context, never from within a call of this class.
  struct Handlers {
    std::function<void()> opened;
    std::function<void(Session::Event&)> event;  ///< All except `Broken`; may be moved from.
    /// The connection could not be opened or can no longer be used, and why. Called once, as the
    /// last handler; never after `close` or `Settled`.
    std::function<void(const std::string& reason)> closed;
    std::function<void()> sent = {};  ///< Everything has been sent.
  };

  Connection(boost::asio::io_context& context, Address address)
      : address_(std::move(address)),
        resolver_(context),
        socket_(context),
        deadline_(context),
        session_(address_.client_id, address_.most_payload) {}

  void open();
  /// Replaces the handlers.
  void handle_by(Handlers handlers) { handlers_ = std::move(handlers); }

  /// Runs `what` on the session and sends what the session then has to send.
  template <typename What>
  void tell(What what) {
    what(session_);
    flush();
  }

  Session::State state() const { return session_.state(); }
  bool is_open() const { return phase_ == Phase::open; }
  const Address& address() const { return address_; }
  /// Bytes that wait to be sent.
  std::size_t backlog() const { return out_.size() - written_; }

  /// Closes the connection without calling a handler.
  void close();

 private:
  enum class Phase { fresh, opening, open, closed };
  using Error = boost::system::error_code;

  void connect(const boost::asio::ip::tcp::resolver::results_type& places);
  void connected();
  void keep_alive();
  void read();
  void on_read(std::size_t count);
  void flush();
  void write_rest();
  void mind_answer();
  void expect_within(Duration patience, const char* what);
  void expect_nothing();
  void fail(const std::string& reason);

  Address address_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  Handlers handlers_;
  Session session_;
  Phase phase_ = Phase::fresh;
  std::array<char, 16384> chunk_;
  std::string out_;             // Being sent.
  std::size_t written_ = 0;     // Of `out_`.
  bool writing_ = false;        // A write is in progress.
  std::uint64_t expected_ = 0;  // Number of the current deadline.
  bool answer_due_ = false;     // The deadline is for an answer.
};

}  // namespace sluice::gearman
