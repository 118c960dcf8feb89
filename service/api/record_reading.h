#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "service/http/http.h"
#include "service/protocol/api_error.h"

namespace sluice {

/// A question to the record of decisions: what was at one moment.
struct RecordQuestion {
  http::ConnectionId connection;
  std::string at;        ///< Seconds since 1970; empty for now.
  std::string names_of;  ///< The uid whose jobs have names, or "nobody"; empty if all have.
  /// Of a time that the clock passed more than once: a number from 1; empty for the last one.
  std::string occurrence = {};
};

/// Answers questions to the record. Belongs to the service's thread.
class RecordReading {
 public:
  using Answered = std::function<void(std::variant<http::Response, ApiError>)>;

  virtual ~RecordReading() = default;
  /// Calls `answered` later, unless the question's connection leaves before. Returns the error if
  /// it cannot answer now, nor after others.
  virtual std::optional<ApiError> ask(const RecordQuestion& question, Answered answered) = 0;
  virtual void connection_closed(http::ConnectionId connection) = 0;
};

}  // namespace sluice
