#include "cli/permit/job_terms.h"

#include <boost/json.hpp>
#include <utility>

#include "base/item_variables.h"
#include "base/seconds.h"
#include "client/answer_fields.h"

namespace sluice::cli {
namespace json = boost::json;

namespace {

/// nullopt if it is null or missing.
std::optional<Bytes> bytes_at(const json::object& job, const char* field) {
  const json::value* value = job.if_contains(field);
  if (!value || value->is_null()) return std::nullopt;
  return Bytes{value->to_number<std::uint64_t>()};
}

std::optional<Duration> expected_duration(const json::object& job) {
  const json::object* expected = object_at(job, "prediction");
  if (!expected || text_at(*expected, "rung") != "key") return std::nullopt;
  const json::value& duration = expected->at("duration");
  if (duration.is_null()) return std::nullopt;
  return from_seconds(duration.to_number<double>());
}

}  // namespace

JobTerms terms_of(const json::object& job) {
  ItemVariables variables;
  for (const auto& [name, value] : job.at("environment").as_object()) {
    variables.offer(std::string(name), json::value_to<std::string>(value));
  }
  JobTerms terms;
  terms.environment = std::move(variables.taken);
  terms.ignored = std::move(variables.ignored);
  if (const json::value& nice = job.at("nice"); !nice.is_null()) {
    terms.nice = nice.to_number<int>();
  }
  terms.memory_high = bytes_at(job, "memory_high");
  terms.memory_max = bytes_at(job, "memory_max");
  terms.expected = expected_duration(job);
  return terms;
}

std::optional<std::int64_t> process_of(const json::object& job) {
  const json::object* lease = object_at(job, "lease");
  return lease ? number_at(*lease, "pid") : std::nullopt;
}

}  // namespace sluice::cli
