#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// Adds `sluice batch`.
CLI::App* add_batch(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
