#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/kubernetes_pods.h"
#include "base/client_reply.h"
#include "sluice/units.h"

namespace sluice {

/// Where Kubernetes mounts a pod's service account.
inline constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/// One workload of a Kubernetes cluster, and how to reach the API server.
struct KubernetesOptions {
  WorkloadKind kind = WorkloadKind::deployment;
  std::string name;
  std::string space;   ///< Namespace; empty for the service account's.
  std::string server;  ///< "https://HOST:PORT"; empty for the in-cluster configuration.
  std::string account = kServiceAccount;        ///< Folder with `token`, `ca.crt` and `namespace`.
  Duration timeout = std::chrono::seconds(10);  ///< Of each request.
};

/// A client of the API server for that workload. Reads the token and the authorities again for each
/// request, since Kubernetes replaces them. Errors are one line for people. Thread-safe.
class KubernetesApi {
 public:
  explicit KubernetesApi(KubernetesOptions options) : options_(std::move(options)) {}

  std::variant<WorkloadScale, std::string> scale() const;
  std::variant<std::vector<Pod>, std::string> pods(const WorkloadScale& scale) const;

  using Problem = std::optional<std::string>;
  /// Fails if the workload has changed since `scale` was read.
  Problem set_replicas(const WorkloadScale& scale, std::int64_t replicas) const;
  /// nullopt removes the annotation.
  Problem set_deletion_cost(const std::string& pod, std::optional<std::int64_t> cost) const;

  const KubernetesOptions& options() const { return options_; }

 private:
  /// "/apis/.../NAME" and "/api/v1/namespaces/...", or the problem.
  struct Paths {
    std::string workload, pods, problem;
  };
  Paths paths() const;
  std::variant<ClientReply, std::string> ask(const std::string& method, const std::string& target,
                                             const std::string& body = {}) const;

  const KubernetesOptions options_;
};

}  // namespace sluice
