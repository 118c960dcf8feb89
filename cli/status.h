#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice status`: the jobs that run, the jobs that wait, and why.
CLI::App* add_status(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
