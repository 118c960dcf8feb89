#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "service/api/view.h"
#include "service/jobs/jobs.h"
#include "sluice/explanation.h"

namespace sluice {

/// Context for the JSON of any job.
struct JobContext {
  const Leases& leases;
  JobNames names;
  /// Why a job waits, with the reading of the sensor that keeps it waiting.
  std::function<std::string(const Refusal&)> sentence_of;
  std::function<bool(std::string_view manager)> is_jqm_compatible;
  Instant instant;
};

/// What is known of one job besides its record.
struct JobDetail {
  const JobView* view = nullptr;             ///< The governor's view; null if the job has ended.
  const Explanation* explanation = nullptr;  ///< Null if not requested.
  bool deduplicated = false;                 ///< Whether this answers another job's submit.
  const Suspension* suspension = nullptr;    ///< Null if the brake lets the job run.
  /// See `Jobs::permit_token_of`; only for clients that may change the job, otherwise empty.
  std::string permit = {};
  std::optional<Bytes> permit_memory = {};  ///< See `Jobs::memory_kept_for`; shown with `permit`.
  std::optional<Bytes> next_memory = {};  ///< See `JobUsages::memory_of_next`; left out if unknown.
};

void write_job(JsonWriter& json, const JobRecord& job, const JobDetail& detail,
               const JobContext& context);

void write_explanation(JsonWriter& json, const Explanation& explanation, const JobNames& names,
                       TimePoint now);

}  // namespace sluice
