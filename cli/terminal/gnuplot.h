#pragma once

#include <optional>
#include <string>

namespace sluice::cli {

/// Runs gnuplot on the program; gives one line for people where that did not work.
std::optional<std::string> run_gnuplot(const std::string& script);

}  // namespace sluice::cli
