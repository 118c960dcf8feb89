#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "client/client.h"

namespace sluice::cli {

/// The daemon's answer to one request; prints what went wrong and gives none otherwise.
std::optional<boost::json::object> ask(Client& client, const char* method,
                                       const std::string& target, const std::string& body = {});

/// A connection to the daemon; prints what went wrong and gives none otherwise.
std::optional<Client> connect(const std::string& socket);

}  // namespace sluice::cli
