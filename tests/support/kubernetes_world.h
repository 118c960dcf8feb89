#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <string>

#include "autoscale/kubernetes_api.h"
#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {

/// The stand-in for an API server (api_server.py) with certificates made for it, and a pod's
/// service account that may use it.
class KubernetesWorld {
 public:
  /// What it takes and is not there; empty: all is.
  static std::string missing();

  /// `state`: what api_server.py has in state.json.
  explicit KubernetesWorld(const std::string& state);

  KubernetesOptions options(WorkloadKind kind = WorkloadKind::deployment) const;

  void set_mode(const std::string& mode) { write_file(folder.path("mode"), mode); }
  void set_accepted_token(const std::string& token) { write_file(folder.path("token"), token); }
  void set_state(const std::string& state);
  /// A pod's files, as Kubernetes puts and replaces them.
  void set_own_token(const std::string& token) { write_file(account.path("token"), token + "\n"); }
  /// Trusts somebody else.
  void trust_another_authority();

  boost::json::object state() const;
  /// What it was asked, in order: "GET /path", and for a change its body.
  std::vector<std::string> requests() const;

  TemporaryFolder folder, account;

 private:
  std::unique_ptr<CommandRunner> process_;
};

}  // namespace sluice::testing
