#pragma once

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <string>

namespace sluice::cli {

/// The daemon's answer to `pause`, `resume` and `drain`, for people: "draining: 2 running, 0
/// pending".
std::string state_sentence(const boost::json::object& answer);

/// `sluice pause`, `resume` and `reload`.
void add_control(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
