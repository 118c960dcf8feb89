#pragma once

#include <string>

namespace sluice {

/// The response of an HTTP server.
struct ClientReply {
  int status = 0;
  std::string body;
};

}  // namespace sluice
