#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/log.h"
#include "sensors/cgroupfs.h"
#include "sensors/executor_group.h"
#include "service/http/http.h"
#include "service/http/received_descriptors.h"
#include "service/options.h"
#include "service/protocol/api_error.h"
#include "service/protocol/attach_body.h"

namespace sluice {

/// Whose cgroup is judged: keeps the best that is known of the executor, and looks for it where
/// nobody gives it.
class ExecutorWatch {
 public:
  ExecutorWatch(ExecutorOptions options, Log log);

  /// What is to be judged now; null: this process's own group, as it is no sidecar.
  std::shared_ptr<const ExecutorGroup> group() const { return group_; }

  /// Takes the group whose directories came with a request; `group` stays where it is the one that
  /// is judged already. What is wrong with it is refused, and what came is closed.
  std::optional<ApiError> attach(const Peer& peer, const std::vector<SentDirectory>& directories,
                                 ReceivedDescriptors& descriptors);

  /// To be called where `group` cannot be governed, as `problem` says: `before` is judged again if
  /// it is there still, and otherwise there is none.
  void reject(std::shared_ptr<const ExecutorGroup> before, std::string problem);

  /// To be called about once a second: looks for a group where there is none, or the one that was
  /// there has gone. True: `group` is another now, or has other CPUs. This process's own CPUs are
  /// looked at every 10 s.
  bool look(TimePoint now);

 private:
  bool takes(ExecutorOptions::Source source) const;
  std::optional<ApiError> refuse(const Peer& peer) const;
  ExecutorGroup found() const;
  void judge(ExecutorGroup group);
  bool look_at_cpus();

  const ExecutorOptions options_;
  const Log log_;
  const std::optional<std::uint64_t> network_;
  std::shared_ptr<const ExecutorGroup> group_;
  double cpus_ = 0;  ///< That it, or this process, may use.
  LookAgain own_look_;
  std::shared_ptr<const ExecutorGroup> rejected_;  ///< Not to be looked at again.
  std::string last_refusal_;                       ///< As it was logged.
};

}  // namespace sluice
