#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/json_writer.h"
#include "metrics/service_facts.h"
#include "service/api/view_job.h"
#include "service/jobserver/jobserver.h"
#include "service/protocol/submit.h"

namespace sluice {

/// The body of `POST /v1/jobservers`: that of a submit, and "max", the most jobs at once.
struct JobserverSubmit {
  Submit submit;
  std::size_t most_tokens = jobserver::Request::kMostTokens;
};

/// Pure; never throws for any bytes.
std::variant<JobserverSubmit, ApiError> parse_jobserver_submit(std::string_view text);

/// A jobserver with the job that needs no token. `view` is nullopt once it has ended; `end` then
/// says what became of its tokens, if that is still known. `refusal`: why the job waits.
struct JobserverDetail {
  std::optional<jobserver::View> view;
  std::optional<jobserver::End> end;
  std::optional<Refusal> refusal;
  // See `JobDetail`:
  std::string permit = {};
  std::optional<Bytes> permit_memory = {};
};

void write_jobserver(JsonWriter& json, const JobRecord& job, const JobserverDetail& detail,
                     const JobContext& context);

/// Totals of all jobservers, for status and metrics.
JobserverFacts sum_of(const std::vector<jobserver::View>& views, const jobserver::Totals& totals);

}  // namespace sluice
