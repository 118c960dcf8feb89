// The body of a heartbeat and of a finish.
#include "service/protocol/usage_body.h"
#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto parsed = parse_usage_body(text);
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    return require(error->status == 400 && !error->message.empty(), "an error says what is wrong");
  }
  const auto& usage = std::get<0>(parsed);
  if (!usage) return;
  require(usage->peak_memory >= usage->memory, "a peak is no less than what is used now");
  const auto again = parse_usage_body(usage_body(*usage));
  require(again.index() == 0 && std::get<0>(again), "what is said can be read");
  require(std::get<0>(again)->peak_memory == usage->peak_memory, "and means the same");
}
