#include "base/host_identity.h"
#include "base/process_table.h"
#include "service/daemon/impl.h"
#include "service/jobs/job_store.h"
#include "sluice/embed.h"

namespace sluice {

void Daemon::Impl::take_back_jobs() {
  const auto folder = state_folder_of(options_.config.governing);
  if (!folder) {
    log_(LogLevel::info,
         "state: in memory only, lost when the daemon exits; set `state_dir` to keep jobs");
    return;
  }
  const TimePoint began = Clock::now();
  Jobs& jobs = routes_.jobs();
  try {
    const auto say = [log = log_](const std::string& line) { log(LogLevel::warning, line); };
    restart_ = jobs.keep_in(open_job_store(*folder, this_boot(), say), began);
  } catch (const NewerState& problem) {
    throw CannotServe(std::string("state_dir: ") + problem.what());
  }
  for (const std::string& line : restart_.lines) log_(LogLevel::warning, "state: " + line);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
  log_(LogLevel::info, "state: " + jobs.store()->path() + ": adopted " +
                           std::to_string(restart_.adopted) + " running jobs, released " +
                           std::to_string(restart_.released) + " that were gone, restored " +
                           std::to_string(restart_.restored) + " pending ones in " +
                           std::to_string(milliseconds) + " ms");
}

StateFacts Daemon::Impl::state() const {
  StateFacts state;
  const JobStore* store = routes_.jobs().store();
  if (!store) return state;
  state.path = store->path();
  state.failing = store->failing();
  state.adopted = restart_.adopted;
  state.released = restart_.released;
  state.restored = restart_.restored;
  return state;
}

}  // namespace sluice
