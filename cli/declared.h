#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <variant>
#include <vector>

#include "sluice/units.h"

namespace sluice::cli {

// Job declarations given as options, in the form of the API; otherwise one line that names the
// wrong option and the reason. Pure. The daemon judges names and amounts.

using Declared = std::variant<boost::json::object, std::string>;

/// `--lock LEVEL=MODE`, MODE as for `parse_locks`, each level any number of times: {"node":
/// "shared:a exclusive:b"}.
Declared declared_locks(const std::vector<std::string>& options);
/// `--resource MANAGER=N`: {"db": 2}.
Declared declared_resources(const std::vector<std::string>& options);
/// `--param NAME=VALUE`: {"instance": "i1"}.
Declared declared_params(const std::vector<std::string>& options);

/// `--position front|back|before:JOB|after:JOB`: "front", or {"before": "a"}.
std::variant<boost::json::value, std::string> declared_position(const std::string& option);

/// The time that an option such as `--wait` has as its value, "30s". Throws std::runtime_error if
/// it is none.
Duration declared_time(const std::string& option, const std::string& value);

/// The value of `--memory`, "1.5GiB", above 0. Throws std::runtime_error if it is none.
Bytes declared_memory(const std::string& value);

}  // namespace sluice::cli
