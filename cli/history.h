#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice history`.
CLI::App* add_history(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
