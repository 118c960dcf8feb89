#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/endpoint.h"
#include "sluice/units.h"

namespace sluice {

/// The number of jobs of these functions without a worker, from gearmand's answer to `status`: all
/// except the running ones. Without functions, counts all that gearmand knows. An unknown function
/// has no jobs. Returns a message on error. Pure.
std::variant<std::int64_t, std::string> waiting_in(std::string_view status,
                                                   const std::vector<std::string>& functions);

/// Asks one gearmand.
std::variant<std::int64_t, std::string> ask_gearmand(const Endpoint& server,
                                                     const std::vector<std::string>& functions,
                                                     TimePoint deadline);

}  // namespace sluice
