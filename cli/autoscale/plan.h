#pragma once

#include <memory>
#include <optional>

#include "autoscale/fleet_controller.h"
#include "autoscale/fleet_source.h"
#include "cli/autoscale/options.h"

namespace sluice::cli {

/// The checked parts of an autoscaler.
struct AutoscalePlan {
  FleetSettings settings;
  FleetPlaces places;
  std::optional<CentralQueue> queue;
  AskingOptions asking;
  std::shared_ptr<const KubernetesApi> api;  ///< Null without a cluster.
  std::unique_ptr<Scaler> scaler;            ///< Null if it must not act.
};

/// Throws std::runtime_error with one line that starts with the option, or one for each error of
/// the configuration.
AutoscalePlan autoscale_plan(const AutoscaleArguments& arguments);

}  // namespace sluice::cli
