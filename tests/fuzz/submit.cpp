// The bodies of POST /v1/jobs and POST /v1/jobservers.
#include "service/protocol/submit.h"

#include "service/api/jobserver_json.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(const ApiError& error) {
  require(error.status >= 400 && error.status < 500, "the client is to blame");
  require(!error.code.empty() && !error.message.empty(), "an error says what is wrong");
}

void check(const Submit& submit) {
  require(submit.id.size() <= kMostIdBytes, "an id is short");
  require(submit.request.key.size() <= kMostKeyBytes, "a key is short");
  require(!submit.request.cost || submit.request.cost->value >= 1, "a cost is at least a point");
  require(!submit.heartbeat || *submit.heartbeat >= std::chrono::seconds(1), "silence is short");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const auto submit = parse_submit(text);
  if (const auto* error = std::get_if<ApiError>(&submit)) {
    check(*error);
  } else {
    check(std::get<Submit>(submit));
  }
  const auto client = parse_jobserver_submit(text);
  if (const auto* error = std::get_if<ApiError>(&client)) return check(*error);
  check(std::get<JobserverSubmit>(client).submit);
  require(std::get<JobserverSubmit>(client).most_tokens <= jobserver::Request::kMostTokens,
          "no client gets more tokens than any may");
}
