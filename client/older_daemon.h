#pragma once

#include <optional>
#include <string>

#include "base/client_reply.h"

namespace sluice {

/// Whether a daemon refuses a field of a submit that is newer than its API, and without which the
/// job runs as it did before there was such a field. Pure.
bool refuses_newer_field(const ClientReply& reply);

/// The body of a request without all such fields. Pure.
std::string without_newer_fields(std::string body);

/// For people, of a daemon at `place` that refuses a request of our own, as it does not know a
/// field or a parameter of it: that it is older than we are, and what to do. nullopt for any other
/// answer. As the daemon wrote it, so not safe for a terminal. Pure.
std::optional<std::string> older_daemon_sentence(const ClientReply& reply,
                                                 const std::string& place);

}  // namespace sluice
