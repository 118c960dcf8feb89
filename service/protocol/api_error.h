#pragma once

#include <optional>
#include <string>

#include "service/http/http.h"
#include "sluice/job.h"
#include "sluice/refusal.h"

namespace sluice {

/// Why a request was not done, as the API says it.
struct ApiError {
  int status = 400;
  std::string code;     ///< For programs: lower case and underscores.
  std::string message;  ///< For people.
  std::string field;    ///< Which field of the body or the query; empty: none in particular.
  std::optional<Refusal> refusal;
  std::string allow = {};  ///< Of a 405: what the path takes, as the header lists it.
};

/// A refusal of a submit: what may be tried again later is 429 or 503, what may not 422.
ApiError refused(const Refusal& refusal, const JobNames& names);
/// What makes no sense as it stands, on this host: 422.
ApiError invalid(BadRequest bad);

/// `{"error": {"code", "message", "field"}}`, with the refusal where there is one.
Response to_response(const ApiError& error, const JobNames& names = {});
/// The same of these three alone, for `HttpHandlers::error`.
Response answer_error(int status, std::string_view code, std::string_view message);

}  // namespace sluice
