// /proc/PID/stat, statm, status and schedstat, which any process influences by its name; locks and
// fdinfo, which it influences by what it locks.
#include <chrono>

#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "recognition/lock_waits.h"
#include "support/fuzz.h"
#include "support/split.h"

void sluice::fuzz::one_input(std::string_view text) {
  parse_process_users(text);
  for (const LockWait& each : parse_lock_waits(text)) {
    require(each.process >= 0 && !each.lock.empty(), "a wait has a lock, and a process or 0");
  }
  parse_locks_of_file(text);
  CpuDelay delay;
  std::map<pid_t, SchedulerTimes> times;
  std::vector<ProcessFacts> processes;
  while (!text.empty()) {
    const std::string_view line = cut(text, "\n");
    if (const auto facts = parse_process(line, std::chrono::milliseconds(10))) {
      require(facts->cpu >= Duration{0}, "no process has used less than no time");
      processes.push_back(*facts);
    }
    parse_process_memory(line, Bytes{4096});
    parse_anonymous_part(line);
    if (const auto ran = parse_schedstat(line)) times[static_cast<pid_t>(times.size())] = *ran;
  }
  require(descendants_of(processes, {1}).size() <= processes.size(), "each is named once");
  delay.update(times);
  delay.update(times);
  require(delay.of_job(std::chrono::seconds(1)) >= Duration{0},
          "nobody waits for less than no time");
}
