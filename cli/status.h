#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice status`: what runs, what waits and why.
CLI::App* add_status(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
