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

namespace sluice {

/// One client. Reads and parses requests, one after the other, and writes the answers in order;
/// while an answer is held back it goes on reading, to see the client leave.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  /// Descriptors that may have come with requests that are not whole yet.
  static constexpr std::size_t kUntaken = 24;

  /// What it needs of its server.
  struct Owner {
    HttpHandlers handlers;
    HttpLimits limits;
    std::function<void(ConnectionId)> closed;  ///< Removes it; called once.
    /// Of a TCP client, whose request is whole: `answer` is called when its turn has come.
    std::function<void(ConnectionId)> wait_for_turn;
    /// Bytes of answers that clients have not taken yet, by transport.
    std::array<std::size_t, 2> unsent{};
    bool stopping = false;
    std::shared_ptr<DescriptorAllowance> descriptors =
        std::make_shared<DescriptorAllowance>(kUntaken);
  };

  HttpConnection(Socket socket, ConnectionId id, Peer peer, std::shared_ptr<Owner> owner);

  void start();
  /// Answers the request that has waited for its turn.
  void answer();
  void reply(Response response);
  /// More of a stream; left out while the client has not taken what was sent before.
  void push(std::string_view text);
  void tick(TimePoint now);
  /// Closes at once if nothing is being answered, otherwise after the answer.
  void stop();

 private:
  enum class State { idle, reading, handling, writing, streaming, lingering, closed };

  void process();
  /// What to do next with the bytes that are there.
  enum class Next { parse_on, wait };
  Next parse_one();
  /// The rest of a request has yet to come, or never will.
  Next read_on();
  void handle();
  void handle_request();
  void fail(HttpParser::Failure failure);
  void send(const Response& response);
  void write_out();
  void write_more();
  void sent();
  /// Goes on with the bytes that are there already, after everybody else's turn.
  void yield();
  /// What it throws ends this connection, and nothing else.
  template <typename Work>
  void guarded(Work&& work);
  /// The client says no more; what it has asked is answered.
  void on_end();
  bool is_too_much(const Response& response) const;
  /// Whether the kernel still holds some of what was sent.
  bool has_untaken();
  /// Counts so many bytes of this connection as not taken yet.
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
  HttpParser parser_;
  State state_ = State::idle;
  std::optional<TimePoint> deadline_;
  std::array<char, 4096> chunk_;
  ReceivedDescriptors descriptors_;
  std::string in_;            // Read and not parsed yet.
  std::string out_;           // The answer on its way.
  std::size_t written_ = 0;   // Of `out_`.
  std::size_t unsent_ = 0;    // Counted in the owner's.
  bool reading_ = false;      // A read is under way.
  bool has_ended_ = false;    // The client says no more.
  bool awaits_turn_ = false;  // A whole request has yet to be handled.
  bool continued_ = false;    // "100 Continue" was sent for this request.
  bool close_after_ = false;  // Nothing follows the answer on its way.
  bool streams_ = false;      // The answer goes on for as long as the client stays.
};

}  // namespace sluice
