#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/byte_stream.h"
#include "autoscale/endpoint.h"
#include "sluice/units.h"

namespace sluice {

/// A connection to the endpoint, without TLS, or one line that says why there is none. A separate
/// thread resolves a name; it is abandoned if no answer arrives in time.
std::variant<std::unique_ptr<ByteStream>, std::string> connect_stream(const Endpoint& place,
                                                                      TimePoint deadline);

/// All addresses of a name as text, sorted and unique; or why there are none, including a timeout.
std::variant<std::vector<std::string>, std::string> addresses_of(const std::string& name,
                                                                 TimePoint deadline);

}  // namespace sluice
