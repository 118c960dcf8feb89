#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice pause`, `resume`, `drain` and `reload`.
void add_control(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
