#include "service/http/parser.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

namespace sluice {
namespace {
namespace http = boost::beast::http;
using boost::beast::error_code;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

HttpParser::Failure failure_of(error_code error, std::uint32_t body_bytes) {
  if (error == http::error::body_limit) {
    return {413, "the body is larger than " + std::to_string(body_bytes / 1024) + " KiB"};
  }
  if (error == http::error::header_limit) return {431, "the header is larger than 16 KiB"};
  if (error == http::error::buffer_overflow) return {431, "the header is larger than 16 KiB"};
  if (error == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are supported"};
  return {400, "this is not HTTP/1.1"};
}

}  // namespace

class HttpParser::Impl {
 public:
  Impl(std::uint32_t header_bytes, std::uint32_t body_bytes)
      : header_bytes_(header_bytes), body_bytes_(body_bytes) {
    next();
  }

  void next() {
    parser.emplace();
    parser->header_limit(header_bytes_);
    parser->body_limit(body_bytes_);
    parser->eager(true);
  }

  std::uint32_t body_bytes() const { return body_bytes_; }

  std::optional<http::request_parser<http::string_body>> parser;

 private:
  std::uint32_t header_bytes_;
  std::uint32_t body_bytes_;
};

HttpParser::HttpParser(std::uint32_t header_bytes, std::uint32_t body_bytes)
    : impl_(std::make_unique<Impl>(header_bytes, body_bytes)) {}

HttpParser::~HttpParser() = default;

std::variant<HttpParser::Progress, HttpParser::Failure> HttpParser::put(std::string_view bytes) {
  auto& parser = *impl_->parser;
  // Beast asserts this about its input once it has seen the last chunk; no body ends with less.
  constexpr std::size_t last_chunk = std::string_view("0\r\n\r\n").size();
  if (parser.is_header_done() && parser.chunked() && bytes.size() < last_chunk) {
    return Progress{0, false};
  }
  error_code error;
  // Not asio::buffer: its type would select the overload for sequences, which may copy.
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error && error != http::error::need_more) return failure_of(error, impl_->body_bytes());
  const auto& message = parser.get();
  const bool encoded = parser.is_header_done() && message.count(http::field::transfer_encoding) > 0;
  if (encoded && !parser.chunked()) {
    // Its body would be parsed as the next request.
    return Failure{501, "only the transfer encoding chunked is supported"};
  }
  if (!parser.is_done()) return Progress{used, false};
  const bool named = message.find(http::field::host) != message.end();
  if (message.version() >= 11 && !named) return Failure{400, "the Host header is missing"};
  if (message.count(http::field::host) > 1) return Failure{400, "there are two Host headers"};
  return Progress{used, true};
}

bool HttpParser::expects_continue() const {
  const auto& parser = *impl_->parser;
  if (!parser.is_header_done() || parser.is_done()) return false;
  return boost::beast::iequals(parser.get()[http::field::expect], "100-continue");
}

Request HttpParser::request() const {
  const auto& message = impl_->parser->get();
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.body = message.body();
  request.host = view(message[http::field::host]);
  request.content_type = view(message[http::field::content_type]);
  request.content_encoding = view(message[http::field::content_encoding]);
  request.accept_encoding = view(message[http::field::accept_encoding]);
  request.authorization = view(message[http::field::authorization]);
  return request;
}

bool HttpParser::keep_alive() const { return impl_->parser->get().keep_alive(); }

bool HttpParser::head() const { return impl_->parser->get().method() == http::verb::head; }

void HttpParser::next() { impl_->next(); }

}  // namespace sluice
