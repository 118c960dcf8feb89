#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Where Prometheus' own checker is; none on a machine without it.
std::optional<std::string> find_promtool();

/// What a command said on both outputs, and its exit status (-1 where it did not end by itself).
struct Said {
  int status = -1;
  std::string output;
};

/// Runs `promtool ARGUMENTS` with `input` on its standard input.
Said run_promtool(const std::string& promtool, const std::string& arguments,
                  const std::string& input);

}  // namespace sluice
