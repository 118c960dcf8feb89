#pragma once

#include <string>

#include "base/client_reply.h"

namespace sluice {

/// Whether a daemon refuses a field of a submit that is newer than its API, and without which the
/// job runs as it did before there was such a field. Pure.
bool refuses_newer_field(const ClientReply& reply);

/// The body of a request without all such fields. Pure.
std::string without_newer_fields(std::string body);

}  // namespace sluice
