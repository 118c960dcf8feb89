#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/endpoint.h"
#include "sluice/units.h"

namespace sluice {

/// What another process has sent, or one line for people that says why it is not all there.
struct StreamAnswer {
  std::string text;
  std::string problem;  ///< Empty if there is none.
};

/// Connects to the endpoint, without TLS, sends a short question and reads what comes until it is
/// whole. A separate thread resolves a name; it is abandoned if no answer arrives in time.
StreamAnswer ask_stream(const Endpoint& place, std::string_view question,
                        const std::function<bool(std::string_view text)>& is_whole,
                        TimePoint deadline);

/// All addresses of a name as text, sorted and unique; or why there are none, including a timeout.
std::variant<std::vector<std::string>, std::string> addresses_of(const std::string& name,
                                                                 TimePoint deadline);

}  // namespace sluice
