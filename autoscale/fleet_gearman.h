#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/http_place.h"
#include "sluice/units.h"

namespace sluice {

/// How many jobs of these functions no worker has yet, out of gearmand's answer to `status`: all
/// but the running ones. No functions: of all that are known. A function it does not know has none.
/// Otherwise what is wrong. Pure.
std::variant<std::int64_t, std::string> waiting_in(std::string_view status,
                                                   const std::vector<std::string>& functions);

/// Asks one gearmand.
std::variant<std::int64_t, std::string> ask_gearmand(const HttpPlace& server,
                                                     const std::vector<std::string>& functions,
                                                     TimePoint deadline);

}  // namespace sluice
