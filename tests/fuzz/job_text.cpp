// The stored text of a job, whose file others may have edited. Readable text, written again, keeps
// its meaning.
#include "service/protocol/job_text.h"

#include "support/fuzz.h"

static constexpr std::string_view kPrefix = "jobserver:";

void sluice::fuzz::one_input(std::string_view text) {
  const auto request = parse_request(text, kPrefix);
  if (const auto* read = std::get_if<StoredRequest>(&request)) {
    const std::string written = request_text(read->request, kPrefix, read->batch);
    const auto again = parse_request(written, kPrefix);
    const auto* same = std::get_if<StoredRequest>(&again);
    require(same, "what is written can be read");
    require(request_text(same->request, kPrefix, same->batch) == written, "and means the same");
  }
  const auto items = parse_items(text);
  if (const auto* read = std::get_if<std::vector<HeldItems>>(&items)) {
    const auto again = parse_items(items_text(*read));
    require(std::holds_alternative<std::vector<HeldItems>>(again), "items can be read again");
  }
}
