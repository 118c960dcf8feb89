#include "service/http/parser.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

namespace sluice::http {
namespace {
namespace beast = boost::beast::http;
using boost::beast::error_code;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

struct Malformed {
  beast::error error;
  std::string_view message;
};

constexpr std::array kMalformed{
    Malformed{beast::error::bad_line_ending, "a line of the header does not end with CR LF"},
    Malformed{beast::error::bad_field, "a header is malformed"},
    Malformed{beast::error::bad_value, "a header is malformed"},
    Malformed{beast::error::bad_obs_fold, "a header is malformed"},
    Malformed{beast::error::bad_content_length, "Content-Length is not a number of bytes"},
    Malformed{beast::error::multiple_content_length, "there are two lengths in Content-Length"},
    Malformed{beast::error::bad_transfer_encoding, "there are two Transfer-Encoding headers"},
    Malformed{beast::error::bad_chunk, "a chunk of the body is malformed"},
    Malformed{beast::error::bad_chunk_extension, "a chunk of the body is malformed"}};

/// Beast reports a bad version for these as well.
bool has_known_version(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  return line.find(" HTTP/1.0") != line.npos || line.find(" HTTP/1.1") != line.npos;
}

Parser::Failure bad_version(std::string_view bytes) {
  if (!has_known_version(bytes)) return {505, "only HTTP/1.0 and HTTP/1.1 are supported"};
  return {400, "the request line does not end with its version and CR LF"};
}

/// `seen`: the headers before the one that is at fault.
Parser::Failure malformed(error_code error, const beast::fields& seen) {
  const bool has_length = seen.count(beast::field::content_length) > 0;
  const bool is_encoded = seen.count(beast::field::transfer_encoding) > 0;
  if ((error == beast::error::bad_content_length && is_encoded) ||
      (error == beast::error::bad_transfer_encoding && has_length)) {
    return {400, "there are both Content-Length and Transfer-Encoding"};
  }
  const auto known = std::ranges::find(kMalformed, error, &Malformed::error);
  return {400, std::string(known == kMalformed.end() ? "this is not HTTP/1.1" : known->message)};
}

Parser::Failure too_large(error_code error, std::uint32_t body_bytes) {
  if (error != beast::error::body_limit) return {431, "the header is larger than 16 KiB"};
  return {413, "the body is larger than " + std::to_string(body_bytes / 1024) + " KiB"};
}

bool is_too_large(error_code error) {
  return error == beast::error::body_limit || error == beast::error::header_limit ||
         error == beast::error::buffer_overflow;
}

}  // namespace

class Parser::Impl {
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

  std::optional<beast::request_parser<beast::string_body>> parser;

 private:
  std::uint32_t header_bytes_;
  std::uint32_t body_bytes_;
};

Parser::Parser(std::uint32_t header_bytes, std::uint32_t body_bytes)
    : impl_(std::make_unique<Impl>(header_bytes, body_bytes)) {}

Parser::~Parser() = default;

std::variant<Parser::Progress, Parser::Failure> Parser::put(std::string_view bytes) {
  auto& parser = *impl_->parser;
  // Beast asserts this about its input once it has seen the last chunk; no body ends with less.
  constexpr std::size_t last_chunk = std::string_view("0\r\n\r\n").size();
  if (parser.is_header_done() && parser.chunked() && bytes.size() < last_chunk) {
    return Progress{0, false};
  }
  error_code error;
  // Not asio::buffer: its type would select the overload for sequences, which may copy.
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (is_too_large(error)) return too_large(error, impl_->body_bytes());
  if (error == beast::error::bad_version) return bad_version(bytes);
  if (error && error != beast::error::need_more) return malformed(error, parser.get());
  const auto& message = parser.get();
  const bool encoded =
      parser.is_header_done() && message.count(beast::field::transfer_encoding) > 0;
  if (encoded && !parser.chunked()) {
    // Its body would be parsed as the next request.
    return Failure{501, "only the transfer encoding chunked is supported"};
  }
  if (!parser.is_done()) return Progress{used, false};
  const bool named = message.find(beast::field::host) != message.end();
  if (message.version() >= 11 && !named) return Failure{400, "the Host header is missing"};
  if (message.count(beast::field::host) > 1) return Failure{400, "there are two Host headers"};
  return Progress{used, true};
}

bool Parser::expects_continue() const {
  const auto& parser = *impl_->parser;
  if (!parser.is_header_done() || parser.is_done()) return false;
  return boost::beast::iequals(parser.get()[beast::field::expect], "100-continue");
}

Request Parser::request() const {
  const auto& message = impl_->parser->get();
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.body = message.body();
  request.host = view(message[beast::field::host]);
  request.content_type = view(message[beast::field::content_type]);
  request.content_encoding = view(message[beast::field::content_encoding]);
  request.accept_encoding = view(message[beast::field::accept_encoding]);
  request.authorization = view(message[beast::field::authorization]);
  return request;
}

bool Parser::keep_alive() const { return impl_->parser->get().keep_alive(); }

bool Parser::head() const { return impl_->parser->get().method() == beast::verb::head; }

void Parser::next() { impl_->next(); }

}  // namespace sluice::http
