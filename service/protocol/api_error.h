#pragma once

#include <optional>
#include <string>

#include "service/http/http.h"
#include "sluice/job.h"
#include "sluice/refusal.h"

namespace sluice {

/// Why the API did not do a request.
struct ApiError {
  int status = 400;
  std::string code;     ///< For programs: lower case and underscores.
  std::string message;  ///< For people.
  /// The field of the body or the query at fault; empty if none in particular.
  std::string field = {};
  std::optional<Refusal> refusal = {};
  std::string allow = {};  ///< For a 405: the methods of the path, as in the Allow header.
};

/// Refusal of a submit: 429 or 503 if it may be retried later, 422 if not.
ApiError refused(const Refusal& refusal, const JobNames& names);

/// "`field` message" as a 400.
ApiError bad_field(std::string field, std::string message);

/// The same with another function's description of the problem: "`field`: problem".
ApiError bad_content(std::string field, const std::string& problem);

inline constexpr const char* kStopping = "the daemon is stopping";

/// Refusal of new work by a daemon that stops: 503 `stopping`. `more` ends its sentence.
ApiError stopping_error(const std::string& more = "");

/// A request that makes no sense as it stands, on this host: 422.
ApiError invalid(BadRequest bad);

/// `{"error": {"code", "message", "field"}}`, with the refusal if there is one.
http::Response to_response(const ApiError& error, const JobNames& names = {});
/// The same from these three fields, for `http::Handlers::error`.
http::Response answer_error(int status, std::string_view code, std::string_view message);

}  // namespace sluice
