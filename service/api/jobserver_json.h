#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/json_writer.h"
#include "metrics/service_facts.h"
#include "service/api/view.h"
#include "service/jobserver/jobserver.h"
#include "service/protocol/submit.h"

namespace sluice {

/// The body of `POST /v1/jobservers`: what a submit may say, and "max", the most jobs at once.
struct JobserverSubmit {
  Submit submit;
  std::size_t most_tokens = JobserverRequest::kMostTokens;
};

/// Pure; never throws for any bytes.
std::variant<JobserverSubmit, ApiError> parse_jobserver_submit(std::string_view text);

/// One jobserver with the job it may run without a token. `view` is none where it has ended; `end`
/// is then what became of its tokens, if that is still known. `refusal`: why the job waits.
struct JobserverDetail {
  std::optional<JobserverView> view;
  std::optional<JobserverEnd> end;
  std::optional<Refusal> refusal;
  // See `JobDetail`:
  std::string permit = {};
  std::optional<Bytes> permit_memory = {};
};

void write_jobserver(JsonWriter& json, const JobRecord& job, const JobserverDetail& detail,
                     const JobContext& context);

/// All of them together, for status and metrics.
JobserverFacts sum_of(const std::vector<JobserverView>& views, const JobserverTotals& totals);

}  // namespace sluice
