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
struct ExecutorGroup;  // sensors/executor_group.h

/// The parts of a governor for this host, built from options and ready to be put together, with
/// embedder's sensors added to the list at will.
struct Assembly {
  GovernorOptions options;
  std::vector<Sensor> sensors;
  CostModel cost_model;
  /// What `cost_model` learns from, kept in the state folder where there is one; null under
  /// `cost.model: formula`.
  std::shared_ptr<History> history;
};

/// How an assembly learns.
struct Learning {
  /// That of an earlier assembly, to go on with; its own options stay until `History::configure`.
  /// Null: a new one is made where one is needed.
  std::shared_ptr<History> history;
  /// Takes one line for people when the history cannot be kept; on any thread. May be empty.
  std::function<void(const std::string& line)> say;
};

/// The folder for what must outlive the process: `state_dir`, else the first that systemd made for
/// this service (StateDirectory=); none: nothing is kept.
std::optional<std::string> state_folder_of(const Options& options);

/// The CPUs that this process may use: those online, less where affinity or a cgroup's quota
/// leaves fewer, then perhaps a fraction. At least a hundredth. Of `executor` where there is one.
double usable_cpus(std::shared_ptr<const ExecutorGroup> executor = nullptr);

/// The options in a sluice.yaml that are the governor's. Throws std::invalid_argument with all
/// that is wrong with the file, a line each: `file:line:column: message`.
Options read_options(const std::string& path);

/// Looks at the host and builds the parts. Throws std::invalid_argument for options that cannot
/// work here, naming the field. `executor`: whose limits count in place of this process's own, as
/// in a sidecar; null: this process's.
Assembly assemble(const Options& options, Learning learning = {},
                  std::shared_ptr<const ExecutorGroup> executor = nullptr);

/// A governor of this host, the shortest way: `auto governor = sluice::govern_this_host();`
std::unique_ptr<Governor> govern_this_host(const Options& options = {}, GovernorEvents events = {});

}  // namespace sluice
