#include "service/daemon/process_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "base/clock.h"

namespace sluice {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Field 22 of /proc/self/stat: ticks from boot to the start. The name in field 2 may contain
/// anything, but ends at the last parenthesis.
double start_since_boot() {
  std::ifstream file("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int skipped = 3; skipped <= 21; ++skipped) fields >> field;
  double ticks = 0;
  fields >> ticks;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double uptime() {
  double seconds_up = 0;
  std::ifstream("/proc/uptime") >> seconds_up;
  return seconds_up;
}

}  // namespace

void look_at_process(ServiceFacts& facts) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  facts.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  facts.resident = Bytes{resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  std::error_code ignored;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd", ignored);
  facts.open_fds = static_cast<std::uint64_t>(
      std::distance(begin(descriptors), std::filesystem::directory_iterator()));
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) facts.max_fds = limit.rlim_cur;
  facts.start_unix = unix_now() - uptime() + start_since_boot();
}

}  // namespace sluice
