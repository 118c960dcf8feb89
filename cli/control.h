#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace sluice::cli {

/// The daemon's answer to `pause`, `resume` and `drain`, for people: "draining: 2 running, 0
/// pending".
std::string state_sentence(const boost::json::object& answer);

}  // namespace sluice::cli
