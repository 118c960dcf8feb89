#include "recognition/ungoverned_runs.h"

#include <algorithm>

namespace sluice {

void UngovernedRuns::ended(pid_t process, ProcessEnd end, const KillCounter& kills,
                           BuildRecord& record, TimePoint now) {
  auto found = runs_.extract(process);
  if (!found) return;
  Run& run = found.mapped();
  run.usage.end(now);
  end.kills = kills.since(run.kills_before);
  const JobUsage& usage = run.usage.usage();
  const Outcome outcome = outcome_of(end, usage);
  record.note_kill({std::move(run.name), usage.peak_memory, usage.cpu, {}}, end, outcome);
}

void UngovernedRuns::measure(TimePoint now) {
  for (auto& [process, run] : runs_) {
    if (now >= run.usage.due()) run.usage.read({process}, now);
  }
}

std::optional<TimePoint> UngovernedRuns::due() const {
  const auto first =
      std::ranges::min_element(runs_, {}, [](const auto& each) { return each.second.usage.due(); });
  return first == runs_.end() ? std::nullopt : std::optional(first->second.usage.due());
}

}  // namespace sluice
