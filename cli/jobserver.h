#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice jobserver`: runs a command as the client of a jobserver whose tokens are the window.
CLI::App* add_jobserver(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
