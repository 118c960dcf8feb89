// Bytes of a connection. However they are split, they give the same requests: if the daemon and a
// proxy in front of it disagree on the length of a request, requests can be smuggled.
#include <string>
#include <vector>

#include "service/http/parser.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

/// The parsed requests. A bad one may be detected at different points.
using Heard = std::vector<std::string>;

/// Feeds bytes as a connection does. Returns false if no more will be read.
bool take(http::Parser& parser, std::string& in, Heard& heard) {
  while (!in.empty()) {
    const auto result = parser.put(in);
    if (const auto* failure = std::get_if<http::Parser::Failure>(&result)) {
      require(failure->status >= 400 && failure->status < 600, "a failure is one of HTTP's");
      return false;
    }
    const auto& progress = std::get<http::Parser::Progress>(result);
    require(progress.used <= in.size(), "no more is used than was there");
    in.erase(0, progress.used);
    if (!progress.done) {
      parser.expects_continue();
      if (progress.used == 0) return true;
      continue;
    }
    const http::Request request = parser.request();
    heard.push_back(std::string(request.method) + " " + std::string(request.target) + " " +
                    std::string(request.host) + "\n" + std::string(request.body));
    require(request.body.size() <= 256, "no body is larger than allowed");
    if (!parser.keep_alive()) return false;
    parser.head();
    parser.next();
  }
  return true;
}

Heard hear(std::string_view text, std::size_t piece) {
  http::Parser parser(16 * 1024, 256);
  Heard heard;
  std::string in;
  while (!text.empty()) {
    in += text.substr(0, piece);
    text.remove_prefix(std::min(piece, text.size()));
    if (!take(parser, in, heard)) break;
  }
  return heard;
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const std::size_t piece = text.empty() ? 1 : 1 + static_cast<unsigned char>(text.back()) % 32;
  require(hear(text, text.size() + 1) == hear(text, piece), "pieces make no difference");
}
