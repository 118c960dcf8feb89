#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/client_reply.h"

namespace sluice {

/// The most that an answer may hold, headers included.
inline constexpr std::size_t kMostReply = std::size_t{64} << 20;

/// Reads one answer of anybody's HTTP/1.1 server out of `bytes`, all that came so far: with a
/// length, in chunks, or up to the end of the connection. None: more is to come. Otherwise a line
/// for people. Pure.
std::optional<std::variant<ClientReply, std::string>> read_reply(std::string_view bytes,
                                                                 bool at_end);

}  // namespace sluice
