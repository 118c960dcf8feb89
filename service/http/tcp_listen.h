#pragma once

#include <optional>
#include <string>
#include <variant>

namespace sluice::http {

/// The problem with an address to listen on, whether or not it is free; nullopt if there is none.
std::optional<std::string> problem_of_address(const std::string& address);

/// A listening TCP socket on "HOST:PORT" or "[IPV6]:PORT", or one line with the problem. Refuses an
/// empty host: users must say explicitly that they mean all addresses of a host.
std::variant<int, std::string> listen_tcp(const std::string& address);

/// Whether other hosts could reach the socket, by the address it is bound to.
bool listens_to_network(int descriptor);

/// Address of a listening TCP socket: "127.0.0.1:9797".
std::string bound_address(int descriptor);

}  // namespace sluice::http
