#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice attach`.
CLI::App* add_attach(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
