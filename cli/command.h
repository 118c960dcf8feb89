#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace sluice::cli {

/// The whole command line of `sluice`: options, subcommands, help. A subcommand that runs sets
/// `exit_status`, which must outlive it.
std::unique_ptr<CLI::App> make_command(int& exit_status);

}  // namespace sluice::cli
