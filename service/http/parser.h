#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "service/http/http.h"

namespace sluice::http {

/// Parses HTTP/1.1 requests one after the other from bytes as they arrive.
class Parser {
 public:
  Parser(std::uint32_t header_bytes, std::uint32_t body_bytes);
  ~Parser();

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
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::http
