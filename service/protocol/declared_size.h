#pragma once

#include <cstddef>
#include <vector>

#include "sluice/job.h"

namespace sluice {

/// How much a job or a change declares.
struct DeclaredSize {
  std::size_t bytes = 0;  ///< Of the body.
  /// Parameters, reasons, resources, jobs in `after`, levels and names of locks: each takes memory
  /// of its own, however short it is.
  std::size_t elements = 0;

  bool operator==(const DeclaredSize&) const = default;
};

/// The elements of a request, and of locks. Pure.
std::size_t elements_of(const JobRequest& request);
std::size_t elements_of(const std::vector<LevelLocks>& locks);

}  // namespace sluice
