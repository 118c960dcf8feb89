#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "costmodel/prediction_errors.h"
#include "metrics/service_facts.h"
#include "service/jobs/job_record.h"
#include "sluice/prediction.h"

namespace sluice {

/// Counts how much of the memory reserved for jobs they used, by the rung of the prediction that
/// set the reservation.
class KeptMemoryCount {
 public:
  /// The job has ended; `kept` is the memory that was kept for it. A job whose holder did not
  /// report its end does not count, unless it was killed for memory.
  void over(const JobRecord& job, std::optional<Bytes> kept, TimePoint now);
  std::vector<KeptMemoryFacts> facts() const;

 private:
  static constexpr std::size_t kRungs = static_cast<std::size_t>(Rung::prior) + 1;

  std::array<KeptMemory, kRungs> by_rung_;
};

}  // namespace sluice
