#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autoscale/fleet_source.h"
#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// The command line of `sluice autoscale`. `autoscale_plan` checks the texts.
struct AutoscaleArguments {
  std::optional<int> max, min, add;
  std::string interval, wait, kill_after, billing, stabilise, lookback;
  std::string rules, config;
  bool kill_master = false;
  std::string master;
  // Where to find executors and their jobs.
  std::vector<std::string> executors;
  std::string dns, list_command, prometheus, selector = "job=\"sluice\"", pods_port;
  std::string gearman;
  std::vector<std::string> functions;
  int job_cost = 5;
  std::string timeout = "5s", token_file;
  // How to add and remove executors.
  std::string scaler = "none", add_command, remove_command, scaler_timeout = "2min", boot = "10min";
  std::string workload, space, api, account = kServiceAccount;
  // What to print and keep.
  bool plot = false, csv = false, json = false, once = false;
  std::string plot_folder, plot_as = "png", csv_file, state, metrics = "127.0.0.1:9798";
};

/// Gives `command` its name, its options and their help; parsing stores into `arguments`.
void describe_autoscale(CLI::App& command, AutoscaleArguments& arguments);

}  // namespace sluice::cli
