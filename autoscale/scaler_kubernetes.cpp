#include "autoscale/scaler_kubernetes.h"

#include <utility>

namespace sluice {
namespace {

struct Workload {
  WorkloadScale scale;
  std::vector<Pod> pods;
  std::string problem;
};

Workload fleet(const KubernetesApi& api) {
  auto scale = api.scale();
  if (auto* problem = std::get_if<std::string>(&scale)) return {{}, {}, std::move(*problem)};
  auto& known = std::get<WorkloadScale>(scale);
  auto pods = api.pods(known);
  if (auto* problem = std::get_if<std::string>(&pods)) return {{}, {}, std::move(*problem)};
  return {std::move(known), std::move(std::get<std::vector<Pod>>(pods)), ""};
}

Removable judged(const KubernetesApi& api, const Workload& workload,
                 const std::vector<std::string>& ids) {
  if (!workload.problem.empty()) return {{}, workload.problem};
  return certain_to_go(ids, api.options().kind, workload.scale, workload.pods);
}

/// Marks the pods as the first to be removed.
KubernetesApi::Problem mark(const KubernetesApi& api, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (auto problem = api.set_deletion_cost(id, kFirstToGo)) return problem;
  }
  return std::nullopt;
}

}  // namespace

ScalerReply KubernetesScaler::add(const std::vector<std::string>& names) {
  const auto scale = api_.scale();
  if (const auto* problem = std::get_if<std::string>(&scale)) return {{}, *problem};
  const auto& known = std::get<WorkloadScale>(scale);
  const auto more = static_cast<std::int64_t>(names.size());
  if (auto problem = api_.set_replicas(known, known.replicas + more)) return {{}, *problem};
  return {names, ""};
}

Removable KubernetesScaler::removable(const std::vector<std::string>& ids) {
  return judged(api_, fleet(api_), ids);
}

ScalerReply KubernetesScaler::remove(const std::vector<std::string>& ids) {
  Workload workload = fleet(api_);
  const Removable sure = judged(api_, workload, ids);
  if (sure.ids.empty()) return {{}, sure.reason};
  if (api_.options().kind == WorkloadKind::deployment) {
    if (auto problem = mark(api_, sure.ids)) {
      cancel_removal(sure.ids);
      return {{}, *problem};
    }
    // A pod that has since ceased to be ready would be removed instead of a drained one.
    workload = fleet(api_);
    const Removable still = judged(api_, workload, sure.ids);
    if (still.ids != sure.ids) return {{}, still.reason};
  }
  // On failure the marks stay: the change may have happened, and only the answer was lost.
  const auto fewer = static_cast<std::int64_t>(sure.ids.size());
  if (auto problem = api_.set_replicas(workload.scale, workload.scale.replicas - fewer)) {
    return {{}, *problem};
  }
  return {sure.ids, sure.reason};
}

void KubernetesScaler::cancel_removal(const std::vector<std::string>& ids) {
  if (api_.options().kind != WorkloadKind::deployment) return;
  // If this fails too, the pods only remain the first to be removed.
  for (const std::string& id : ids) api_.set_deletion_cost(id, std::nullopt);
}

}  // namespace sluice
