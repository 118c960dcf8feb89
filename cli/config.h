#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice config check | show | reference`.
CLI::App* add_config(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
