#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice serve`.
CLI::App* add_serve(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
