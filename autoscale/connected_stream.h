#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/byte_stream.h"
#include "autoscale/http_place.h"
#include "sluice/units.h"

namespace sluice {

/// A connection to the place, without TLS, or one line that says why there is none. A name is
/// looked up on a thread of its own, which is left to itself where no answer comes in time.
std::variant<std::unique_ptr<ByteStream>, std::string> connect_stream(const HttpPlace& place,
                                                                      TimePoint deadline);

/// All addresses of a name, as text, sorted and each once; or why there are none, also where no
/// answer comes in time.
std::variant<std::vector<std::string>, std::string> addresses_of(const std::string& name,
                                                                 TimePoint deadline);

}  // namespace sluice
