#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/governor.h"
#include "sluice/options.h"
#include "sluice/sensor.h"

namespace sluice {

class History;
struct ExecutorGroup;  // sensors/cgroup/executor_group.h

/// The parts of a governor for this host, built from options and ready to pass to a `Governor`.
/// Embedders may add their own sensors to the list.
struct Assembly {
  GovernorOptions options;
  std::vector<Sensor> sensors;
  CostModel cost_model;
  /// The data behind `cost_model`, stored in the state folder if there is one; null under
  /// `cost.model: formula`.
  std::shared_ptr<History> history;
};

/// How an assembly learns from jobs.
struct Learning {
  /// The history of an earlier assembly, to continue with; it predicts by the options that it was
  /// made with. Null: a new one is created if needed.
  std::shared_ptr<History> history;
  /// Receives one line for people if the history cannot be stored; on any thread. May be empty.
  std::function<void(const std::string& line)> say;
};

/// The folder for state that outlives the process: `state_dir`, else the first one systemd made for
/// this service (StateDirectory=); nullopt: nothing is stored.
std::optional<std::string> state_folder_of(const Options& options);

/// The CPUs this process may use: the online ones, reduced by affinity and by cgroup quotas, which
/// may leave a fraction. At least 0.001. Those of `executor` if one is given.
double usable_cpus(std::shared_ptr<const ExecutorGroup> executor = nullptr);

/// Reads the governor's options from a sluice.yaml. Throws std::invalid_argument listing every
/// error in the file, one per line: `file:line:column: message`.
Options read_options(const std::string& path);

/// Inspects the host and builds the parts. Throws std::invalid_argument, naming the field, for
/// options that are out of range or cannot work here; without `learning.say`, this includes a
/// `state_dir` that is not a folder. The limits of `executor` apply instead of this process's own,
/// as in a sidecar; null: this process's own.
Assembly assemble(const Options& options, Learning learning = {},
                  std::shared_ptr<const ExecutorGroup> executor = nullptr);

/// A governor for this host, the short way: `auto governor = sluice::govern_this_host();`. Throws
/// what `assemble` and the constructor of `Governor` throw.
std::unique_ptr<Governor> govern_this_host(const Options& options = {}, GovernorEvents events = {});

}  // namespace sluice
