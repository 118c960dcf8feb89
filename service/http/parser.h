#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "service/http/http.h"

namespace sluice {

/// Parses one HTTP/1.1 request after the other out of bytes as they come.
class HttpParser {
 public:
  HttpParser(std::uint32_t header_bytes, std::uint32_t body_bytes);
  ~HttpParser();

  struct Failure {
    int status;
    std::string message;
  };
  struct Progress {
    std::size_t used = 0;  ///< Bytes taken from the front.
    bool done = false;     ///< A request is complete.
  };

  /// Takes bytes. Not to be called again after a failure, nor before `next` once it was done.
  std::variant<Progress, Failure> put(std::string_view bytes);

  /// Whether the header is complete and the client waits for "100 Continue" to send the body.
  bool expects_continue() const;

  /// The complete request; the views live until `next`. The connection's fields are left open.
  Request request() const;
  bool keep_alive() const;
  bool head() const;

  /// Makes ready for the next request.
  void next();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
