#include "costmodel/sample.h"

namespace sluice {

Sample sample_of(const JobRequest& job, const JobUsage& used, SeenBy seen_by, Outcome outcome,
                 Bytes reserved, std::int64_t ended, const ProfileRecorder* recorded) {
  return {.key = job.key,
          .program = job.program,
          .ended = ended,
          .outcome = outcome,
          .busy_cores = used.busy_cores(),
          .peak_memory = remembered_peak(outcome, used.peak_memory, reserved),
          .wall = used.wall,
          .user = job.user,
          .seen_by = seen_by,
          .variant = job.variant,
          .profile = recorded ? recorded->until(used) : CpuProfile{},
          .memory = recorded ? recorded->memory_until(used) : MemoryCourse{}};
}

}  // namespace sluice
