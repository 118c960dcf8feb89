#include "service/daemon/kept_memory_count.h"

#include "service/jobs/job_usages.h"

namespace sluice {
namespace {

bool is_measured(const JobRecord& job) {
  if (!job.admitted || !job.usage) return false;
  if (job.outcome == Outcome::oom) return true;
  return job.ended_by == LeaseEnd::finish &&
         (job.outcome == Outcome::ok || job.outcome == Outcome::failed);
}

}  // namespace

void KeptMemoryCount::over(const JobRecord& job, std::optional<Bytes> kept, TimePoint now) {
  if (!kept || !is_measured(job)) return;
  const auto rung = job.rung();
  if (!rung) return;
  by_rung_[static_cast<std::size_t>(*rung)].add(
      *kept, without_children(job, *job.usage).peak_memory, job.outcome, now - *job.admitted);
}

std::vector<KeptMemoryFacts> KeptMemoryCount::facts() const {
  std::vector<KeptMemoryFacts> facts;
  for (std::size_t rung = 0; rung < kRungs; ++rung) {
    const KeptMemory& kept = by_rung_[rung];
    facts.push_back({to_string(static_cast<Rung>(rung)), kept.runs, kept.above, kept.byte_seconds,
                     kept.unused});
  }
  return facts;
}

}  // namespace sluice
