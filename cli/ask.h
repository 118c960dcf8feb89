#pragma once

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "client/client.h"

namespace sluice::cli {

/// The daemon's answer to one request; nullopt, after printing the error, if it fails.
std::optional<boost::json::object> ask(Client& client, const char* method,
                                       const std::string& target, const std::string& body = {});

/// Adds `--socket`, which says where the daemon is, to a subcommand. `socket` must outlive it.
void add_socket(CLI::App& command, std::string& socket);

/// A connection to the daemon; nullopt, after printing the error, if it fails.
std::optional<Client> connect(const std::string& socket);

}  // namespace sluice::cli
