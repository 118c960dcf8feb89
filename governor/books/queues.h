#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/queueing.h"

namespace sluice {

/// Names that refusals point at: a view that `keep` returned stays valid as long as this object.
class KeptNames {
 public:
  std::string_view keep(std::string_view name);

 private:
  std::set<std::string, std::less<>> names_;
};

/// A queue, now or formerly configured.
struct JobQueue {
  std::string_view name;
  QueueOptions options;
  std::size_t running = 0;
  bool paused = false;
  bool there = true;  ///< Is in the configuration.
};

/// The queues by number, which never changes. Not thread-safe.
class Queues {
 public:
  /// Takes over the configured queues. One whose `paused` differs from `before` gets that switch;
  /// else an operator's stays.
  void configure(const QueueingOptions& options, const QueueingOptions& before, KeptNames& names);

  /// The number of a configured queue; `size()` if there is none of that name.
  std::uint32_t number_of(std::string_view name) const;
  /// The queue of jobs that name none.
  std::uint32_t default_number() const { return default_; }

  std::size_t size() const { return queues_.size(); }
  bool empty() const { return queues_.empty(); }
  JobQueue& operator[](std::size_t number) { return queues_[number]; }
  const JobQueue& operator[](std::size_t number) const { return queues_[number]; }

 private:
  std::vector<JobQueue> queues_;
  std::uint32_t default_ = 0;
};

}  // namespace sluice
