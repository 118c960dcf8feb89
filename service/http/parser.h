#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/http/http.h"

namespace sluice {

/// Parses HTTP/1.1 requests one after the other from bytes as they arrive.
class HttpParser {
 public:
  HttpParser(std::uint32_t header_bytes, std::uint32_t body_bytes)
      : header_bytes_(header_bytes), body_bytes_(body_bytes) {
    next();
  }

  struct Failure {
    int status;
    std::string message;
  };
  struct Progress {
    std::size_t used = 0;  ///< Bytes consumed from the front.
    bool done = false;     ///< A request is complete.
  };

  /// Consumes bytes. Do not call it after a failure, nor after a complete request before `next`.
  std::variant<Progress, Failure> put(std::string_view bytes);

  /// Whether the header is complete and the client waits for "100 Continue" to send the body.
  bool expects_continue() const;

  /// The complete request; the views are valid until `next`. The connection's fields are not set.
  Request request() const;
  bool keep_alive() const;
  bool head() const;

  /// Prepares for the next request.
  void next();

 private:
  std::uint32_t header_bytes_, body_bytes_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
};

}  // namespace sluice
