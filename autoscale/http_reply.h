#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/client_reply.h"

namespace sluice {

/// Maximum size of an answer, headers included.
inline constexpr std::size_t kMostReply = std::size_t{64} << 20;

/// Parses one answer of any HTTP/1.1 server from `bytes`, everything received so far: with a
/// length, in chunks, or up to the end of the connection. nullopt if it is incomplete; a line for
/// people on error. Pure.
std::optional<std::variant<ClientReply, std::string>> read_reply(std::string_view bytes,
                                                                 bool at_end);

}  // namespace sluice
