#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <string>

#include "autoscale/kubernetes_api.h"
#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {

/// A stand-in for an API server (api_server.py) with its certificates, and the service account of a
/// pod that may use it.
class KubernetesWorld {
 public:
  /// The missing program; empty if there is none.
  static std::string missing();

  /// `state` is the content of state.json for api_server.py.
  explicit KubernetesWorld(const std::string& state);

  KubernetesOptions options(WorkloadKind kind = WorkloadKind::deployment) const;

  void set_mode(const std::string& mode) { write_file(folder.path("mode"), mode); }
  void set_accepted_token(const std::string& token) { write_file(folder.path("token"), token); }
  void set_state(const std::string& state);
  /// Replaces a pod's token file, as Kubernetes does.
  void set_own_token(const std::string& token) { write_file(account.path("token"), token + "\n"); }
  /// Makes the pod trust a different authority.
  void trust_another_authority();

  boost::json::object state() const;
  /// Received requests, in order: "GET /path", for a change followed by its body.
  std::vector<std::string> requests() const;

  TemporaryFolder folder, account;

 private:
  std::unique_ptr<CommandRunner> process_;
};

}  // namespace sluice::testing
