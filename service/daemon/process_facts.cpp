#include "service/daemon/process_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/process_table.h"
#include "base/seconds.h"

namespace sluice {
namespace {

double start_since_boot() {
  const auto self = read_process(getpid());
  const auto ticks = static_cast<std::int64_t>(self ? self->started : 0);
  return to_seconds(ticks * tick_of_this_machine());
}

double uptime() {
  double seconds_up = 0;
  std::ifstream("/proc/uptime") >> seconds_up;
  return seconds_up;
}

}  // namespace

void fill_process_facts(ServiceFacts& facts) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  facts.cpu_seconds = to_seconds(duration_of(usage.ru_utime) + duration_of(usage.ru_stime));
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  facts.resident = Bytes{resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  facts.open_fds = open_descriptors();
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) facts.max_fds = limit.rlim_cur;
  facts.start_unix = unix_now() - uptime() + start_since_boot();
}

}  // namespace sluice
