#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

CLI::App* add_autoscale(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
