#include "cli/batch/daemon_body.h"

#include <boost/json.hpp>

namespace sluice::cli {
namespace json = boost::json;

json::object submit_body_of(const JobRequest& job) {
  json::object body{{"hold", "connection"}, {"measured", true}};
  if (!job.key.empty()) body["key"] = job.key;
  if (!job.variant.empty()) body["variant"] = job.variant;
  if (!job.program.empty()) body["program"] = job.program;
  if (!job.queue.empty()) body["queue"] = job.queue;
  if (job.priority) body["priority"] = *job.priority;
  if (job.inventory) body["inventory"] = *job.inventory;
  if (job.cost) body["cost"] = job.cost->value;
  if (job.memory) body["memory"] = job.memory->value;
  if (job.nice) body["nice"] = *job.nice;
  if (job.global_lock) body["global_lock"] = true;
  if (!job.reasons.empty()) body["reasons"] = json::value_from(job.reasons);
  if (!job.params.empty()) body["params"] = json::value_from(job.params);
  if (job.locks) {
    json::object& locks = body["locks"].emplace_object();
    for (const LevelLocks& level : *job.locks) locks[level.level] = to_text(level);
  }
  if (!job.resources.empty()) {
    json::object& resources = body["resources"].emplace_object();
    for (const ResourceDemand& demand : job.resources) resources[demand.manager] = demand.amount;
  }
  return body;
}

std::string reason_of(const json::object& job) {
  const json::object* refusal = job.at("refusal").if_object();
  return refusal ? json::value_to<std::string>(refusal->at("message")) : "it was cancelled";
}

AdmissionBackend::Admitted admitted_of(const json::object& job, std::size_t seq) {
  AdmissionBackend::Admitted admitted;
  admitted.seq = seq;
  admitted.cost = job.at("cost").to_number<std::int64_t>();
  admitted.terms = terms_of(job);
  return admitted;
}

}  // namespace sluice::cli
