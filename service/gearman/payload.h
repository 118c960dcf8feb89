#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/job.h"

namespace sluice {

/// Whether a payload may name the command that is run.
enum class PayloadTrust { data, commands };

/// A job of a work source, as far as its payload and its function tell.
struct PayloadOrder {
  JobRequest request;
  std::optional<Duration> timeout;   ///< How long it may run.
  std::vector<std::string> command;  ///< Empty: the function's own.
  bool tells = false;                ///< The payload says something of what the job needs.
};

/// Reads what the payload says of its job: a JSON object with any of `key`, `program`, `queue`,
/// `priority`, `inventory`, `cost`, `memory`, `locks`, `global_lock`, `resources`, `params`,
/// `reasons` and `nice`, as a submit has them, and `timeout`, a duration or a number of seconds.
/// With PayloadTrust::commands also `command`. Anything else in it is the job's own affair, and so
/// is a payload that is no JSON object. `base`: what holds where the payload says nothing. One line
/// that names the field where one of these is not as it must be. Pure; never throws for any bytes.
std::variant<PayloadOrder, std::string> read_payload(std::string_view payload,
                                                     const JobRequest& base, PayloadTrust trust);

}  // namespace sluice
