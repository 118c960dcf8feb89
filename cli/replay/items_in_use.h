#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice::cli {

/// The items of discrete resource managers that jobs hold which already run as a replay begins: a
/// scenario does not name them.
class ItemsInUse {
 public:
  /// `options` must outlive it.
  explicit ItemsInUse(const QueueingOptions& options) : options_(options) {}

  /// The first items that no job has got yet. `job` is completed. It gets fewer than it demands if
  /// the configuration has no more.
  std::vector<HeldItems> items_for(const JobRequest& job);

 private:
  std::int64_t demand(const JobRequest& job, const std::string& manager,
                      const ResourceOptions& resource) const;

  const QueueingOptions& options_;
  std::map<std::string, std::size_t> given_;  ///< Items by manager.
};

}  // namespace sluice::cli
