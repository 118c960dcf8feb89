#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice jobserver`: a command that is a client of a jobserver whose tokens are the window.
CLI::App* add_jobserver(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
