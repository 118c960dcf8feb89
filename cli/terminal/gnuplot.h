#pragma once

#include <optional>
#include <string>

namespace sluice::cli {

/// Runs gnuplot on the script; returns one line for people on failure, else nullopt.
std::optional<std::string> run_gnuplot(const std::string& script);

}  // namespace sluice::cli
