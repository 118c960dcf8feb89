#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/protocol/api_error.h"
#include "service/protocol/client_batch.h"
#include "service/protocol/declared_size.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice {

/// Longest id that a client may give a job, in bytes.
inline constexpr std::size_t kMostIdBytes = 128;

/// The body of a submit.
struct Submit {
  enum class Hold { none, connection };
  enum class PeerProcess {};  ///< "The process that opened the connection."

  std::string id;                  ///< The client's id for it; may be empty.
  JobRequest request;              ///< Without `after`, whose numbers the parser cannot know.
  std::vector<std::string> after;  ///< Jobs by id or number.
  Hold hold = Hold::none;
  std::optional<std::variant<pid_t, PeerProcess>> process;
  std::optional<Duration> heartbeat;
  ClientBatch batch;
  /// Token of the permit that it works on. Empty if it shows none; other processes may then vouch
  /// for it.
  std::optional<std::string> parent;
  std::optional<uid_t> owner;  ///< Its user; never taken from the body.
  DeclaredSize declared;       ///< By the body.
  /// `request.takes_turns`, if a stored text says it. No client may say it.
  std::optional<bool> takes_turns;
};

/// Parses the body of a submit: a JSON object, or nothing for all defaults. Pure; never throws for
/// any bytes.
std::variant<Submit, ApiError> parse_submit(std::string_view text);

/// The same for the stored text of a job, which may also have `takes_turns`.
std::variant<Submit, ApiError> parse_stored_submit(std::string_view text);

/// Parses how long an answer may be deferred: "30s". Pure.
std::variant<Duration, ApiError> parse_wait(std::string_view text);

}  // namespace sluice
