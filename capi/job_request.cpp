#include "capi/job_request.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/parse.h"
#include "base/values.h"
#include "capi/arguments.h"
#include "capi/structs.h"
#include "sluice/job.h"
#include "sluice/locks.h"

namespace sluice::capi {
namespace {

std::string place_in(const std::string& list, std::size_t at) {
  return list + "[" + std::to_string(at) + "]";
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const char* const* list, std::size_t count, const std::string& field,
               const std::string& form) {
  Pairs pairs;
  for (const char* text : list_of(list, count, field)) {
    pairs.push_back(pair_of(text, place_in(field, pairs.size()), form));
  }
  return pairs;
}

std::vector<ResourceDemand> resources_of(const sluice_job_options& options) {
  std::vector<ResourceDemand> demands;
  for (auto& [manager, text] :
       pairs_of(options.resources, options.resource_count, "resources", "MANAGER=AMOUNT")) {
    const std::string field = place_in("resources", demands.size());
    const auto amount = parse_as<std::int64_t>(text);
    if (!amount) reject(field, "\"" + text + "\" is not a whole number");
    demands.push_back({std::move(manager), number_of(*amount, 0, kMostUnits, field)});
  }
  return demands;
}

std::optional<std::vector<LevelLocks>> locks_of(const sluice_job_options& options) {
  std::vector<LevelLocks> locks;
  for (auto& [level, text] : pairs_of(options.locks, options.lock_count, "locks", "LEVEL=LOCKS")) {
    auto parsed = parse_locks(std::move(level), text);
    const auto* problem = std::get_if<std::string>(&parsed);
    if (problem != nullptr) reject(place_in("locks", locks.size()), *problem);
    locks.push_back(std::get<LevelLocks>(std::move(parsed)));
  }
  return locks.empty() ? std::nullopt : std::optional(std::move(locks));
}

OnFailure on_failure_of(int on_failure) {
  return enum_of<OnFailure>(on_failure,
                            {{SLUICE_ON_FAILURE_CANCEL, OnFailure::cancel},
                             {SLUICE_ON_FAILURE_RUN, OnFailure::run},
                             {SLUICE_ON_FAILURE_HOLD, OnFailure::hold}},
                            "on_failure", "sluice_on_failure");
}

void add_texts(const sluice_job_options& options, JobRequest& job) {
  job.id = text_of(options.id, "id");
  job.key = text_of(options.key, "key");
  job.program = text_of(options.program, "program");
  job.variant = text_of(options.variant, "variant");
  job.queue = text_of(options.queue, "queue");
}

void add_numbers(const sluice_job_options& options, JobRequest& job) {
  const auto cost = number_of(options.cost, 0, kMostPoints.value, "cost");
  if (cost != 0) job.cost = Points{cost};
  const Bytes memory = bytes_of(options.memory, "memory");
  if (memory != Bytes{}) job.memory = memory;
  if (truth_of(options.has_priority, "has_priority")) {
    job.priority =
        static_cast<int>(number_of(options.priority, -kMostPriority, kMostPriority, "priority"));
  }
  const auto inventory = number_of(options.inventory, 0, kMostInventory, "inventory");
  if (truth_of(options.has_inventory, "has_inventory")) job.inventory = static_cast<int>(inventory);
  job.measured = truth_of(options.measured, "measured");
  job.suspendable = truth_of(options.suspendable, "suspendable");
  job.reports_started = truth_of(options.reports_started, "reports_started");
  job.global_lock = truth_of(options.global_lock, "global_lock");
  job.on_failure = on_failure_of(options.on_failure);
  job.parent = JobId{options.parent};
}

void add_lists(const sluice_job_options& options, JobRequest& job) {
  for (const std::uint64_t id : list_of(options.after, options.after_count, "after")) {
    job.after.push_back(JobId{id});
  }
  job.resources = resources_of(options);
  job.locks = locks_of(options);
  for (auto& [name, value] :
       pairs_of(options.params, options.param_count, "params", "NAME=VALUE")) {
    job.params[name] = std::move(value);
  }
  for (const char* reason : list_of(options.reasons, options.reason_count, "reasons")) {
    const std::string field = place_in("reasons", job.reasons.size());
    if (reason == nullptr) reject(field, "is NULL");
    job.reasons.push_back(text_of(reason, field));
  }
}

}  // namespace

JobRequest job_request(const sluice_job_options& given) {
  const auto options = known_fields(given, SLUICE_JOB_OPTIONS_INIT, "sluice_job_options");
  JobRequest job;
  add_texts(options, job);
  add_numbers(options, job);
  add_lists(options, job);
  return job;
}

JobUsage job_usage(const sluice_usage& given) {
  const auto usage = known_fields(given, SLUICE_USAGE_INIT, "sluice_usage");
  JobUsage used;
  used.source = JobUsage::Source::reported;
  used.wall = time_of(usage.wall, "wall");
  used.cpu = time_of(usage.cpu, "cpu");
  used.memory = bytes_of(usage.memory, "memory");
  used.peak_memory = std::max(bytes_of(usage.peak_memory, "peak_memory"), used.memory);
  return used;
}

Outcome job_outcome(int outcome) {
  return enum_of<Outcome>(outcome,
                          {{SLUICE_OUTCOME_OK, Outcome::ok},
                           {SLUICE_OUTCOME_FAILED, Outcome::failed},
                           {SLUICE_OUTCOME_OOM, Outcome::oom},
                           {SLUICE_OUTCOME_CANCELLED, Outcome::cancelled},
                           {SLUICE_OUTCOME_UNKNOWN, Outcome::unknown}},
                          "outcome", "sluice_outcome");
}

}  // namespace sluice::capi
