#include "autoscale/http_fetch.h"

#include <array>
#include <memory>

#include "autoscale/connected_stream.h"
#include "autoscale/http_reply.h"
#include "autoscale/tls_stream.h"

namespace sluice {
namespace {

using Reply = std::variant<ClientReply, std::string>;
using Stream = std::variant<std::unique_ptr<ByteStream>, std::string>;

std::string request_of(const Endpoint& place, const HttpCall& call) {
  const bool local = place.kind == Endpoint::Kind::unix_socket;
  std::string text = call.method + " " + place.prefix + call.target + " HTTP/1.1\r\nHost: ";
  text += (local ? "sluice" : to_string(place)) + "\r\nConnection: close\r\nAccept: */*\r\n";
  if (!call.token.empty()) text += "Authorization: Bearer " + call.token + "\r\n";
  if (!call.body.empty()) text += "Content-Type: " + call.content_type + "\r\n";
  if (!call.body.empty() || call.method != "GET") {
    text += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  }
  return text + "\r\n" + call.body;
}

Stream stream_to(const Endpoint& place, const HttpCall& call, TimePoint deadline) {
  Stream stream = connect_stream(place, deadline);
  if (place.kind != Endpoint::Kind::tls || std::holds_alternative<std::string>(stream)) {
    return stream;
  }
  return secured(std::get<std::unique_ptr<ByteStream>>(std::move(stream)), place.host,
                 call.authorities);
}

Reply converse(ByteStream& stream, const std::string& request) {
  if (auto problem = stream.write(request)) return *std::move(problem);
  std::string bytes;
  std::array<char, 16384> chunk;
  while (true) {
    const auto got = stream.read(chunk.data(), chunk.size());
    if (const auto* problem = std::get_if<std::string>(&got)) return *problem;
    const std::size_t size = std::get<std::size_t>(got);
    bytes.append(chunk.data(), size);
    if (auto reply = read_reply(bytes, size == 0)) return *std::move(reply);
  }
}

}  // namespace

Reply http_fetch(const Endpoint& place, const HttpCall& call, TimePoint deadline) {
  Stream stream = stream_to(place, call, deadline);
  Reply reply =
      std::holds_alternative<std::string>(stream)
          ? Reply(std::get<std::string>(std::move(stream)))
          : converse(*std::get<std::unique_ptr<ByteStream>>(stream), request_of(place, call));
  if (const auto* problem = std::get_if<std::string>(&reply)) {
    return to_string(place) + ": " + *problem;
  }
  return reply;
}

}  // namespace sluice
