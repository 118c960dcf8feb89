#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/client_reply.h"

namespace sluice {

/// The field of a submit that a daemon refuses, if it is newer than the daemon's API and the job
/// runs without it as it did before there was such a field. Pure.
std::optional<std::string> refused_newer_field(const ClientReply& reply);

/// The body of a request without the fields that a daemon lacks which refuses `refused`. Pure.
std::string without_newer_fields(std::string body, std::string_view refused);

/// For people, of a daemon at `place` that refuses a request of our own, as it does not know a
/// field or a parameter of it: that it is older than we are, and what to do. nullopt for any other
/// answer. As the daemon wrote it, so not safe for a terminal. Pure.
std::optional<std::string> older_daemon_sentence(const ClientReply& reply,
                                                 const std::string& place);

}  // namespace sluice
