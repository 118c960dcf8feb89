#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscale/fleet_controller.h"
#include "autoscale/fleet_source.h"

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

void add_autoscale_options(CLI::App& command, AutoscaleArguments& arguments);

/// The checked parts of an autoscaler.
struct AutoscalePlan {
  FleetSettings settings;
  FleetPlaces places;
  std::optional<CentralQueue> queue;
  AskingOptions asking;
  std::shared_ptr<const KubernetesApi> api;  ///< Null without a cluster.
  std::unique_ptr<Scaler> scaler;            ///< Null if it must not act.
};

/// Throws std::runtime_error with one line that starts with the option, and Unusable for an invalid
/// configuration.
AutoscalePlan autoscale_plan(const AutoscaleArguments& arguments);

}  // namespace sluice::cli
