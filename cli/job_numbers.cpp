#include "cli/job_numbers.h"

#include <string_view>

namespace sluice::cli {
namespace {

using Variable = std::function<const char*(const char*)>;

/// Variables that are the number.
constexpr const char* kNumbers[] = {
    "CARGO_BUILD_JOBS",               // cargo build
    "CMAKE_BUILD_PARALLEL_LEVEL",     // cmake --build
    "CTEST_PARALLEL_LEVEL",           // ctest
    "JOBS",                           // node-gyp, waf
    "MAX_JOBS",                       // extensions of PyTorch and others by setuptools
    "PYTEST_XDIST_AUTO_NUM_WORKERS",  // pytest -n auto
};

/// Variables that hold options, one of which is the number.
struct OptionVariable {
  const char* name;
  std::string_view option;
};
constexpr OptionVariable kOptions[] = {
    {"GOFLAGS", "-p="},                            // go build, go test
    {"GRADLE_OPTS", "-Dorg.gradle.workers.max="},  // gradle
};

std::string_view value_of(const Variable& variable, const char* name) {
  const char* const value = variable(name);
  return value ? value : "";
}

}  // namespace

std::map<std::string, std::string> job_numbers(std::size_t jobs, const Variable& variable) {
  const std::string number = std::to_string(jobs);
  std::map<std::string, std::string> variables;
  for (const char* const name : kNumbers) {
    if (value_of(variable, name).empty()) variables[name] = number;
  }
  for (const OptionVariable& each : kOptions) {
    const std::string before(value_of(variable, each.name));
    if (before.find(each.option) != std::string::npos) continue;
    variables[each.name] = before + (before.empty() ? "" : " ") + std::string(each.option) + number;
  }
  return variables;
}

}  // namespace sluice::cli
