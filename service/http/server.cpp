#include "service/http/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mapped.h"
#include "service/http/connection.h"
#include "service/http/connection_places.h"
#include "service/http/peer_credentials.h"
#include "service/http/turns.h"

namespace sluice::http {
namespace {
namespace asio = boost::asio;
using boost::system::error_code;

/// How often at most a warning says that a user holds many connections.
constexpr Duration kWarnEvery = std::chrono::minutes(1);

constexpr std::string_view kFull = "too many clients";

PeerKind kind_of(const Peer& peer, const Handlers& handlers) {
  return handlers.is_trusted && handlers.is_trusted(peer) ? PeerKind::trusted : PeerKind::ordinary;
}

/// `message` must need no escapes in JSON.
std::string refusal(std::string_view message) {
  std::string body = R"({"error":{"code":"too_many_connections","message":")";
  body.append(message).append("\",\"field\":null}}\n");
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
         "Connection: close\r\nRetry-After: 1\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

  Impl(asio::io_context& context, Handlers handlers, Limits limits)
      : context_(context), turn_timer_(context), owner_(std::make_shared<Connection::Owner>()) {
    owner_->handlers = std::move(handlers);
    owner_->limits = limits;
    owner_->closed = [this](ConnectionId id) {
      turns_.remove(id);
      forget(id);
    };
    owner_->wait_for_turn = [this](ConnectionId id) {
      turns_.add(id);
      await_turn();
    };
  }

  void listen(int descriptor, int family, Transport transport) {
    auto acceptor =
        std::make_shared<Acceptor>(context_, asio::generic::stream_protocol(family, 0), descriptor);
    listeners_.push_back({acceptor, transport, false});
    accept(listeners_.size() - 1);
  }

  void reply(ConnectionId id, Response response) {
    asio::post(context_, [self = shared_from_this(), id, response = std::move(response)]() mutable {
      const auto found = self->connections_.find(id.value);
      if (found == self->connections_.end()) return;
      const auto connection = found->second;
      connection->reply(std::move(response));
    });
  }

  void push(ConnectionId id, std::string_view text) {
    const auto found = connections_.find(id.value);
    if (found == connections_.end()) return;
    const auto connection = found->second;
    connection->push(text);
  }

  void tick(TimePoint now) {
    for (const auto& connection : all()) connection->tick(now);
    for (std::size_t at = 0; at < listeners_.size(); ++at) {
      if (listeners_[at].paused) accept(at);
    }
  }

  void stop() {
    owner_->stopping = true;
    for (const Listener& listener : listeners_) {
      error_code ignored;
      listener.acceptor->close(ignored);
    }
    for (const auto& connection : all()) connection->stop();
  }

  std::size_t connections() const { return connections_.size(); }

 private:
  struct Listener {
    std::shared_ptr<Acceptor> acceptor;
    Transport transport;
    bool paused;
  };

  std::vector<std::shared_ptr<Connection>> all() const {
    return mapped(connections_, [](auto& each) { return each.second; });
  }

  void accept(std::size_t at) {
    listeners_[at].paused = false;
    listeners_[at].acceptor->async_accept(
        [self = shared_from_this(), at](error_code error, Connection::Socket socket) {
          if (self->owner_->stopping) return;
          if (error) {
            // Most likely out of descriptors: the next tick tries again.
            self->listeners_[at].paused = true;
            return;
          }
          self->open_connection_safely(std::move(socket), self->listeners_[at].transport);
          self->accept(at);
        });
  }

  /// An exception on one connection affects no other.
  void open_connection_safely(Connection::Socket socket, Transport transport) {
    try {
      open_connection(std::move(socket), transport);
    } catch (const std::exception& error) {
      if (owner_->handlers.failed) owner_->handlers.failed(error.what());
    }
  }

  void open_connection(Connection::Socket socket, Transport transport) {
    const Peer peer = peer_of(socket.native_handle(), transport);
    if (transport == Transport::tcp) return open_tcp(std::move(socket), peer);
    const ConnectionCounts counts = counts_for(peer);
    switch (vacancy_for(kind_of(peer, owner_->handlers), counts)) {
      case Vacancy::none:
        return turn_away(std::move(socket), kFull);
      case Vacancy::for_other_users:
        return turn_away_crowding(std::move(socket), share_sentence(peer.user, counts));
      case Vacancy::free:
        break;
    }
    std::size_t& held = held_[peer.user];
    const auto connection = add(std::move(socket), ConnectionId{++last_id_}, peer);
    ++held;
    connection->start();
  }

  ConnectionCounts counts_for(const Peer& peer) const {
    const auto held = held_.find(peer.user);
    return {owner_->limits.connections, owner_->limits.kept,
            connections_.size() - tcp_connections_.size(), held == held_.end() ? 0 : held->second};
  }

  void open_tcp(Connection::Socket socket, const Peer& peer) {
    if (tcp_connections_.size() >= owner_->limits.tcp_connections) {
      return turn_away(std::move(socket), kFull);
    }
    error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    const ConnectionId id{++last_id_};
    tcp_connections_.insert(id.value);
    add(std::move(socket), id, peer)->start();
  }

  std::shared_ptr<Connection> add(Connection::Socket socket, ConnectionId id, const Peer& peer) {
    auto connection = std::make_shared<Connection>(std::move(socket), id, peer, owner_);
    connections_.emplace(id.value, connection);
    return connection;
  }

  void forget(ConnectionId id) {
    const auto found = connections_.find(id.value);
    if (found == connections_.end()) return;
    const bool tcp = tcp_connections_.erase(id.value) > 0;
    if (!tcp) release_place(found->second->peer().user);
    connections_.erase(found);
  }

  void release_place(std::optional<uid_t> user) {
    const auto held = held_.find(user);
    if (--held->second == 0) held_.erase(held);
  }

  /// Goes through a timer, even if it is already due, so that everything ready by then runs first.
  void await_turn() {
    if (turn_awaited_ || turns_.empty()) return;
    turn_awaited_ = true;
    turn_timer_.expires_at(turns_.due());
    turn_timer_.async_wait([self = shared_from_this()](error_code) {
      self->turn_awaited_ = false;
      self->take_turn();
      self->await_turn();
    });
  }

  void take_turn() {
    if (turns_.empty()) return;
    const auto connection = connections_.at(turns_.pop().value);
    const TimePoint began = Clock::now();
    connection->answer();
    turns_.made(began, Clock::now());
  }

  /// Names the user to itself and, in the log, to those who may ask it to hold fewer.
  void turn_away_crowding(Connection::Socket socket, const std::string& share) {
    turn_away(std::move(socket), std::string(kFull) + ": " + share);
    const TimePoint now = Clock::now();
    if (!owner_->handlers.crowded || (warned_ && now - *warned_ < kWarnEvery)) return;
    warned_ = now;
    owner_->handlers.crowded(share +
                             ", and gets no more: the last quarter is reserved for other users");
  }

  static void turn_away(Connection::Socket socket, std::string_view message) {
    const std::string answer = refusal(message);
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(answer), ignored);
    // Closing with an unread request would lose the answer.
    socket.shutdown(Connection::Socket::shutdown_send, ignored);
    std::array<char, 4096> unread;
    socket.read_some(asio::buffer(unread), ignored);
  }

  asio::io_context& context_;
  asio::steady_timer turn_timer_;
  bool turn_awaited_ = false;
  Turns turns_;  ///< TCP clients with complete requests.
  std::shared_ptr<Connection::Owner> owner_;
  std::vector<Listener> listeners_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::unordered_set<std::uint64_t> tcp_connections_;  ///< The TCP ones.
  /// Connections to the Unix socket, by user.
  std::map<std::optional<uid_t>, std::size_t> held_;
  std::optional<TimePoint> warned_;  ///< When `crowded` was called last.
  std::uint64_t last_id_ = 0;
};

Server::Server(asio::io_context& context, Handlers handlers, Limits limits)
    : impl_(std::make_shared<Impl>(context, std::move(handlers), limits)) {}

Server::~Server() { impl_->stop(); }

void Server::listen_unix(int descriptor) {
  impl_->listen(descriptor, AF_UNIX, Transport::unix_socket);
}

void Server::listen_tcp(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  impl_->listen(descriptor, address.ss_family, Transport::tcp);
}

void Server::reply(ConnectionId connection, Response response) {
  impl_->reply(connection, std::move(response));
}

void Server::push(ConnectionId connection, std::string_view text) { impl_->push(connection, text); }

void Server::tick(TimePoint now) { impl_->tick(now); }

void Server::stop() { impl_->stop(); }

std::size_t Server::connections() const { return impl_->connections(); }

}  // namespace sluice::http
