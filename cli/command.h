#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

namespace sluice::cli {

/// The whole command line of `sluice`: options, subcommands, help. A subcommand that runs sets
/// `exit_status`, which must outlive it. If the call's `first` word is the name of a command, only
/// that one is there, since all of them take half a millisecond to make.
std::unique_ptr<CLI::App> make_command(int& exit_status, std::string_view first = {});

}  // namespace sluice::cli
