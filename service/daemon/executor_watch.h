#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "sensors/cgroup/cgroupfs.h"
#include "sensors/cgroup/executor_group.h"
#include "service/http/http.h"
#include "service/http/received_descriptors.h"
#include "service/options.h"
#include "service/protocol/api_error.h"
#include "service/protocol/attach_body.h"

namespace sluice {

/// Decides whose cgroup is judged: keeps the best known group of the executor, and looks for one if
/// nobody attaches it.
class ExecutorWatch {
 public:
  ExecutorWatch(ExecutorOptions options, Log log);

  /// The group to judge now; null for this process's own group, if it is no sidecar.
  std::shared_ptr<const ExecutorGroup> group() const { return group_; }

  /// Takes over the group whose directories came with a request. Leaves `group` unchanged if it is
  /// already the one judged. Refuses an unsuitable one and closes what came.
  std::optional<ApiError> attach(const http::Peer& peer,
                                 const std::vector<SentDirectory>& directories,
                                 http::ReceivedDescriptors& descriptors);

  /// Call it if `group` cannot be governed, with the reason in `problem`: returns to judging
  /// `before` if it still exists, else to no group.
  void reject(std::shared_ptr<const ExecutorGroup> before, std::string problem);

  /// Looks for a group if there is none or the last one has gone; call it about once a second. True
  /// if `group` has changed or its CPUs have. Samples this process's own CPUs every 10 s.
  bool poll(TimePoint now);

 private:
  bool takes(ExecutorOptions::Source source) const;
  std::optional<ApiError> refuse(const http::Peer& peer) const;
  ExecutorGroup found() const;
  void judge(ExecutorGroup group);
  bool sample_cpus();

  const ExecutorOptions options_;
  const Log log_;
  const std::optional<std::uint64_t> network_;
  std::shared_ptr<const ExecutorGroup> group_;
  double cpus_ = 0;  ///< That the executor, or this process, may use.
  RescanTimer own_sample_;
  std::shared_ptr<const ExecutorGroup> rejected_;  ///< Not to be tried again.
  std::string last_refusal_;                       ///< As logged.
};

}  // namespace sluice
