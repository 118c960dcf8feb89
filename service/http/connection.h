#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/http.h"
#include "service/http/parser.h"
#include "service/http/received_descriptors.h"
#include "service/http/server.h"

namespace sluice::http {

/// One client. Reads and parses requests one after the other and writes the answers in order. While
/// an answer is deferred it keeps reading, to see the client leave.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  /// Most descriptors sent with incomplete requests, of all connections together.
  static constexpr std::size_t kUntaken = 24;

  /// Shared state and callbacks of its server.
  struct Owner {
    Handlers handlers;
    Limits limits;
    std::function<void(ConnectionId)> closed;  ///< Removes the connection; called once.
    /// For a TCP client with a complete request: must call `answer` when its turn comes.
    std::function<void(ConnectionId)> wait_for_turn;
    /// Bytes of answers that clients have not taken yet, by transport.
    std::array<std::size_t, 2> unsent{};
    bool stopping = false;
    std::shared_ptr<DescriptorAllowance> descriptors =
        std::make_shared<DescriptorAllowance>(kUntaken);
  };

  Connection(Socket socket, ConnectionId id, Peer peer, std::shared_ptr<Owner> owner);

  /// The client, as the kernel named it when it connected.
  const Peer& peer() const { return peer_; }
  void start();
  /// Answers the request that waited for its turn.
  void answer();
  void reply(Response response);
  /// Sends more of a stream; dropped while the client has not taken what was sent before.
  void push(std::string_view text);
  void tick(TimePoint now);
  /// Closes at once if no answer is due, otherwise after the answer.
  void stop();

 private:
  enum class State { idle, reading, handling, writing, streaming, lingering, closed };

  void process();
  /// What to do next with the bytes at hand.
  enum class Next { parse_on, wait };
  Next parse_one();
  /// Reads on, because the rest of a request has yet to come, or gives up if the client has ended.
  Next read_on();
  /// Whether the complete request changes nothing and its client, on the Unix socket, has gone.
  bool is_read_for_nobody();
  void handle();
  void handle_request();
  void fail(Parser::Failure failure);
  void send(const Response& response);
  void write_out();
  void write_more();
  void sent();
  /// Continues with the bytes at hand after all other connections had their turn.
  void yield();
  /// Runs `work`; an exception ends this connection and nothing else.
  template <typename Work>
  void guarded(Work&& work);
  /// Handles the end of the client's bytes; requests that are complete are still answered.
  void on_end();
  bool is_too_much(const Response& response) const;
  /// Whether the kernel still holds bytes that were sent.
  bool has_untaken();
  /// Sets how many bytes of this connection are not taken yet.
  void count_unsent(std::size_t bytes);
  void read();
  void receive();
  void on_read(std::size_t count);
  void linger();
  void close();
  Duration idle_limit() const;
  void set_deadline(std::optional<Duration> limit);

  Socket socket_;
  ConnectionId id_;
  Peer peer_;
  std::shared_ptr<Owner> owner_;
  Parser parser_;
  State state_ = State::idle;
  std::optional<TimePoint> deadline_;
  std::array<char, 4096> chunk_;
  ReceivedDescriptors descriptors_;
  std::string in_;            // Read but not parsed yet.
  std::string out_;           // The answer being sent.
  std::size_t written_ = 0;   // Of `out_`.
  std::size_t unsent_ = 0;    // Counted in the owner's.
  bool reading_ = false;      // A read is in progress.
  bool has_ended_ = false;    // The client sends no more.
  bool awaits_turn_ = false;  // A complete request has yet to be handled.
  bool continued_ = false;    // "100 Continue" was sent for this request.
  bool close_after_ = false;  // Close after the current answer.
  bool streams_ = false;      // The answer continues for as long as the client stays.
};

}  // namespace sluice::http
