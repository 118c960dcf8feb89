#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice set`.
CLI::App* add_set(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
