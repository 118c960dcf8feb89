#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/job.h"

namespace sluice::gearman {

/// Whether a payload may name the command to run.
enum class PayloadTrust { data, commands };

/// A work source's job, as described by its payload and its function.
struct PayloadOrder {
  JobRequest request;
  std::optional<Duration> timeout;   ///< How long it may run.
  std::vector<std::string> command;  ///< If empty, the function's own.
  bool tells = false;                ///< The payload describes needs of the job.
};

/// Reads a job's description from its payload: a JSON object with any of `key`, `program`, `queue`,
/// `priority`, `inventory`, `cost`, `memory`, `locks`, `global_lock`, `resources`, `params`,
/// `reasons` and `nice`, as in a submit, and `timeout`, a duration or a number of seconds. With
/// PayloadTrust::commands also `command`. Everything else belongs to the job, and so does a payload
/// that is not a JSON object. `base`: values for what the payload leaves out. If a field is
/// invalid, returns one line that names it. Pure; never throws for any bytes.
std::variant<PayloadOrder, std::string> read_payload(std::string_view payload,
                                                     const JobRequest& base, PayloadTrust trust);

}  // namespace sluice::gearman
