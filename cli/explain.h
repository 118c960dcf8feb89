#pragma once

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `sluice explain`.
CLI::App* add_explain(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
