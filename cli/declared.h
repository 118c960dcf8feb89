#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <variant>
#include <vector>

namespace sluice::cli {

// What options declare of a job, as the API takes it; otherwise one line that says what is wrong
// with which option. Pure. What the values mean is the daemon's to judge.

using Declared = std::variant<boost::json::object, std::string>;

/// `--lock LEVEL=MODE[:NAMES]`, each level as often as wanted: {"node": "shared:a exclusive:b"}.
Declared declared_locks(const std::vector<std::string>& options);
/// `--resource MANAGER=N`: {"db": 2}.
Declared declared_resources(const std::vector<std::string>& options);
/// `--param NAME=VALUE`: {"instance": "i1"}.
Declared declared_params(const std::vector<std::string>& options);

/// `--position front|back|before:JOB|after:JOB`: "front", or {"before": "a"}.
std::variant<boost::json::value, std::string> declared_position(const std::string& option);

}  // namespace sluice::cli
