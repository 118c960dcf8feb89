#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/batch/settings.h"
#include "cli/command_line/cli11.h"
#include "sluice/units.h"

namespace sluice::cli {

/// The command line of `sluice batch`, of which `settings` needs no parsing.
struct BatchArguments {
  BatchSettings settings;
  std::string file;
  bool null = false;  ///< Input ends its items with NUL bytes.
  std::string config;
  std::string socket;
  bool uses_daemon = false;
  std::string state_dir;
  std::string joblog;
  bool resume = false, resume_failed = false;
  std::string halt = "never";
  bool dry_run = false;
  std::string order = "longest";
  std::string timeout;
  bool quiet = false, verbose = false, json = false;
  std::string cgroups = "auto";
  std::string memory;
  std::vector<std::string> command;
};

/// "30s", or a number of seconds as in GNU parallel; nullopt unless it is above 0.
std::optional<Duration> positive_duration(const std::string& text);

/// Adds the options and their help; parsing stores into `arguments`.
void add_batch_options(CLI::App& batch, BatchArguments& arguments);

}  // namespace sluice::cli
