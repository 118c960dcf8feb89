#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/scaler.h"

namespace sluice {

/// The properties of a pod that matter for removing one.
struct Pod {
  std::string name;
  std::string address;             ///< Its IP; empty if it has none yet.
  std::string revision;            ///< The version of the workload that it runs.
  bool started = false;            ///< Scheduled, and its containers run.
  bool ready = false;              ///< Started, and ready.
  bool leaving = false;            ///< It was told to end, or has ended.
  std::int64_t deletion_cost = 0;  ///< Between otherwise equal pods, the lowest is removed first.
};

/// Most pods that a workload may be meant to have: the limit of `autoscale.max`. Each missing pod
/// is an executor of the observation, so a mistyped number must not take all memory.
inline constexpr std::int64_t kMostReplicas = 100'000;

/// The workload's scale subresource.
struct WorkloadScale {
  std::int64_t replicas = 0;  ///< Requested number, at most `kMostReplicas`.
  std::string version;        ///< Its resourceVersion, which makes a change conditional.
  std::string selector;       ///< Labels of its pods.
};

enum class WorkloadKind { deployment, stateful_set };

/// Parse the API server's answers; on error, return a message. Pure.
std::variant<WorkloadScale, std::string> parse_scale(std::string_view json);
std::variant<std::vector<Pod>, std::string> parse_pods(std::string_view json);

/// Lower than any cost that an operator would set.
inline constexpr std::int64_t kFirstToGo = -2147483647;

/// The pods among `ids` that Kubernetes removes, and no others, once they have the cost
/// `kFirstToGo` and the requested number falls by as many. From a StatefulSet it removes the
/// highest numbers, whatever their cost. From a Deployment it removes pods that are not ready
/// before any other, and during a rollout pods of both versions: none can be removed safely then.
/// Pure.
Removable certain_to_go(const std::vector<std::string>& ids, WorkloadKind kind,
                        const WorkloadScale& scale, const std::vector<Pod>& pods);

}  // namespace sluice
