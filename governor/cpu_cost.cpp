#include "governor/cpu_cost.h"

#include <algorithm>

#include "governor/cpu_use.h"
#include "governor/job_cost.h"
#include "governor/law/cores.h"

namespace sluice {

void reprice_running(CoreState& core, TimePoint now) {
  const auto most = points_of_all_cpus(core);
  if (!most || !core.use) return;
  for (std::uint32_t slot = 0; slot < core.running.size(); ++slot) {
    const RunningJob& job = core.running[slot];
    const auto cores = job.cpu.cores(now);
    if (!job.in_use || !job.job.measured || job.job.has_own_cost || !cores) continue;
    const Points least = is_in_ramp(job, now) ? job.admitted_cost : core.options.least_cost;
    const double needs = std::max(*cores, due_now(job, now));
    core.running.reprice(slot, std::max(least, std::min(points_of(needs), *most)));
  }
}

void end_repricing(CoreState& core) {
  for (std::uint32_t slot = 0; slot < core.running.size(); ++slot) {
    const RunningJob& job = core.running[slot];
    if (job.in_use && job.admitted_cost > Points{0}) core.running.reprice(slot, job.admitted_cost);
  }
}

}  // namespace sluice
