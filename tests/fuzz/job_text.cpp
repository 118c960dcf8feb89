// The stored text of a job, whose file others may have edited. Readable text, written again, keeps
// its meaning.
#include "service/protocol/job_text.h"

#include "support/fuzz.h"

static constexpr std::string_view kPrefix = "jobserver:";

void sluice::fuzz::one_input(std::string_view text) {
  const auto request = parse_request(text, kPrefix);
  if (const auto* read = std::get_if<JobRequest>(&request)) {
    const std::string written = request_text(*read, kPrefix);
    const auto again = parse_request(written, kPrefix);
    require(std::holds_alternative<JobRequest>(again), "what is written can be read");
    require(request_text(std::get<JobRequest>(again), kPrefix) == written, "and means the same");
  }
  const auto items = parse_items(text);
  if (const auto* read = std::get_if<std::vector<HeldItems>>(&items)) {
    const auto again = parse_items(items_text(*read));
    require(std::holds_alternative<std::vector<HeldItems>>(again), "items can be read again");
  }
}
