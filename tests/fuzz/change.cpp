// The body of PATCH /v1/jobs/ID.
#include "service/protocol/change.h"

#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto change = parse_change(text);
  if (const auto* error = std::get_if<ApiError>(&change)) {
    return require(error->status == 400 && !error->message.empty(), "an error says what is wrong");
  }
  const JobChange& asked = std::get<Change>(change).change;
  require(!asked.nice || (*asked.nice >= -20 && *asked.nice <= 19), "niceness is within bounds");
}
