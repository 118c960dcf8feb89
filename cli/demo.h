#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice demo`: real jobs under a governor with real sensors, all in this process.
CLI::App* add_demo(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
