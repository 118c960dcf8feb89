#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice replay`: runs a scenario through the governor's own core, on a virtual clock.
CLI::App* add_replay(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
