#pragma once

#include <optional>
#include <string>

namespace sluice {

/// The path of Prometheus' own checker; nullopt if it is not installed.
std::optional<std::string> find_promtool();

/// Both outputs of a command, and its exit status (-1 if it did not exit by itself).
struct Said {
  int status = -1;
  std::string output;
};

/// Runs `promtool ARGUMENTS` with `input` on its standard input.
Said run_promtool(const std::string& promtool, const std::string& arguments,
                  const std::string& input);

}  // namespace sluice
