#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice run`.
CLI::App* add_run(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
