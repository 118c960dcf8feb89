#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/endpoint.h"
#include "base/descriptors.h"
#include "sluice/units.h"

namespace sluice {

/// Bytes to and from another process. The deadline given at creation bounds each call. Errors are
/// one line for people.
class ConnectedStream {
 public:
  /// Takes ownership of a non-blocking socket.
  ConnectedStream(int socket, TimePoint deadline) : socket_(socket), deadline_(deadline) {}

  /// Sends everything; returns the problem if it cannot.
  std::optional<std::string> write(std::string_view bytes);
  /// Waits for bytes; returns how many arrived: at least 1, or 0 at the end.
  std::variant<std::size_t, std::string> read(char* into, std::size_t size);

 private:
  const Descriptor socket_;
  const TimePoint deadline_;
};

/// A connection to the endpoint, without TLS, or one line that says why there is none. A separate
/// thread resolves a name; it is abandoned if no answer arrives in time.
std::variant<std::unique_ptr<ConnectedStream>, std::string> connect_stream(const Endpoint& place,
                                                                           TimePoint deadline);

/// All addresses of a name as text, sorted and unique; or why there are none, including a timeout.
std::variant<std::vector<std::string>, std::string> addresses_of(const std::string& name,
                                                                 TimePoint deadline);

}  // namespace sluice
