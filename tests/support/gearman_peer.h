#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/gearman/packet.h"

namespace sluice::testing {

/// Runs the context until the condition holds. Returns false after a timeout.
inline bool run_until(boost::asio::io_context& context, const std::function<bool()>& condition,
                      std::chrono::milliseconds most = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  context.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    context.run_one_for(std::chrono::milliseconds(50));
    if (context.stopped()) context.restart();
  }
  return true;
}

/// The server's end of one connection: the received packets as text, and the replies the test
/// sends.
class GearmanPeer : public std::enable_shared_from_this<GearmanPeer> {
 public:
  explicit GearmanPeer(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    socket_.async_read_some(
        boost::asio::buffer(chunk_),
        [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
          if (error) {
            self->hung_up = true;
            return;
          }
          self->take({self->chunk_.data(), count});
          self->read();
        });
  }

  void say(gearman::PacketCommand command, std::vector<std::string> arguments = {}) {
    say_bytes(
        gearman::encode({gearman::Packet::Magic::response, command, std::move(arguments), 0}));
  }
  void say_bytes(const std::string& bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }
  void hang_up() { socket_.close(); }

  /// Whether `text` is the last thing received.
  bool heard_last(const std::string& text) const { return !heard.empty() && heard.back() == text; }

  std::vector<std::string> heard;  ///< "CAN_DO build"
  bool hung_up = false;            ///< The worker has disconnected.

 private:
  void take(std::string_view bytes) {
    reader_.put(bytes);
    while (true) {
      const auto next = reader_.next();
      const auto* packet = std::get_if<gearman::Packet>(&next);
      if (!packet) return;
      std::string text(to_string(packet->command));
      for (const std::string& argument : packet->arguments) text += " " + argument;
      heard.push_back(std::move(text));
    }
  }

  boost::asio::ip::tcp::socket socket_;
  gearman::PacketReader reader_{1 << 20};
  std::array<char, 4096> chunk_;
};

/// A server that sends only what a test makes it send.
class GearmanStage {
 public:
  explicit GearmanStage(boost::asio::io_context& context)
      : acceptor_(context, {boost::asio::ip::make_address("127.0.0.1"), 0}) {
    accept();
  }
  std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }

  std::vector<std::shared_ptr<GearmanPeer>> peers;  ///< In order of connection.

 private:
  void accept() {
    acceptor_.async_accept(
        [this](boost::system::error_code error, boost::asio::ip::tcp::socket socket) {
          if (error) return;
          peers.push_back(std::make_shared<GearmanPeer>(std::move(socket)));
          peers.back()->read();
          accept();
        });
  }

  boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace sluice::testing
