#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/scaler.h"

namespace sluice {

/// A pod as far as it matters to who removes one.
struct Pod {
  std::string name;
  std::string address;             ///< Its IP; empty: none yet.
  std::string revision;            ///< Which version of the workload it is of.
  bool started = false;            ///< Scheduled, and its containers run.
  bool ready = false;              ///< That, and ready.
  bool leaving = false;            ///< It was told to end, or has.
  std::int64_t deletion_cost = 0;  ///< Of pods that are equal in all else the lowest goes first.
};

/// The workload's scale subresource.
struct WorkloadScale {
  std::int64_t replicas = 0;  ///< As many as are wanted.
  std::string version;        ///< For a change of exactly this.
  std::string selector;       ///< Labels of its pods.
};

enum class WorkloadKind { deployment, stateful_set };

/// What the API server says; otherwise what is wrong with it. Pure.
std::variant<WorkloadScale, std::string> parse_scale(std::string_view json);
std::variant<std::vector<Pod>, std::string> parse_pods(std::string_view json);

/// Lower than any that an operator would give.
inline constexpr std::int64_t kFirstToGo = -2147483647;

/// Those of `ids` that Kubernetes takes, and no other pod, once they have the cost `kFirstToGo` and
/// so many fewer are wanted. Of a StatefulSet it takes the highest numbers, whatever their cost. Of
/// a Deployment it takes pods that are not ready before any other, and while there are two versions
/// it takes of both: then nobody is removed. Pure.
Removable certain_to_go(const std::vector<std::string>& ids, WorkloadKind kind,
                        const WorkloadScale& scale, const std::vector<Pod>& pods);

}  // namespace sluice
