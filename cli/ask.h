#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/command_line/cli11.h"
#include "client/client.h"

namespace sluice::cli {

/// The daemon's answer to one request. Throws std::runtime_error, with a line for each error, if
/// there is none; `advice` follows the error if what it asks for is not there. A daemon that does
/// not know a part of the request is said to be older.
boost::json::object ask(Client& client, const char* method, const std::string& target,
                        const std::string& body = {}, const std::string& advice = {});

/// The daemon's answer to `pause`, `resume` and `drain`, for people: "draining: 2 running, 0
/// pending".
std::string state_sentence(const boost::json::object& answer);

/// Adds `--socket`, which says where the daemon is, to a subcommand. `socket` must outlive it.
void add_socket(CLI::App& command, std::string& socket);

/// A connection to the daemon. Throws std::runtime_error, with one line, if there is none.
Client connect(const std::string& socket);

}  // namespace sluice::cli
