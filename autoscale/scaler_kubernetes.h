#pragma once

#include <string>
#include <vector>

#include "autoscale/kubernetes_api.h"
#include "autoscale/scaler.h"

namespace sluice {

/// Changes the number of pods of a Deployment or a StatefulSet. Kubernetes names new executors
/// itself; executors to be removed are pod names.
class KubernetesScaler : public Scaler {
 public:
  explicit KubernetesScaler(const KubernetesApi& api) : api_(api) {}

  ScalerReply add(const std::vector<std::string>& names) override;
  Removable removable(const std::vector<std::string>& ids) override;
  Removes removes() const override { return Removes::together; }
  ScalerReply remove(const std::vector<std::string>& ids) override;
  void cancel_removal(const std::vector<std::string>& ids) override;

 private:
  const KubernetesApi& api_;
};

}  // namespace sluice
