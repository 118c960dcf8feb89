#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscale/fleet_keeper.h"
#include "autoscale/fleet_source.h"

namespace sluice::cli {

/// What stands on the command line of `sluice autoscale`. Texts are checked by `autoscale_plan`.
struct AutoscaleArguments {
  std::optional<int> max, min, add;
  std::string interval, wait, kill_after, billing, stabilise, lookback;
  std::string rules, config;
  bool kill_master = false;
  std::string master;
  // Where executors and their jobs are found.
  std::vector<std::string> executors;
  std::string dns, list_command, prometheus, selector = "job=\"sluice\"", pods_port;
  std::string gearman;
  std::vector<std::string> functions;
  int job_cost = 5;
  std::string timeout = "5s", token_file;
  // What acts.
  std::string scaler = "none", add_command, remove_command, scaler_timeout = "2min", boot = "10min";
  std::string workload, space, api, account = kServiceAccount;
  // What is told and kept.
  bool plot = false, csv = false, json = false, once = false;
  std::string plot_folder, plot_as = "png", csv_file, state, metrics = "127.0.0.1:9798";
};

void add_autoscale_options(CLI::App& command, AutoscaleArguments& arguments);

/// Everything that an autoscaler is made of, checked.
struct AutoscalePlan {
  FleetSettings settings;
  FleetPlaces places;
  std::optional<CentralQueue> queue;
  AskingOptions asking;
  std::shared_ptr<const KubernetesApi> api;  ///< Null: no cluster.
  std::unique_ptr<Scaler> scaler;            ///< Null: nobody acts.
};

/// Throws std::runtime_error with one line that begins with the option, and Unusable for a
/// configuration that is wrong.
AutoscalePlan autoscale_plan(const AutoscaleArguments& arguments);

}  // namespace sluice::cli
