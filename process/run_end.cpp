#include <string.h>
#include <sys/wait.h>

#include <cstdio>

#include "process/runner.h"

namespace sluice {
namespace {

/// "1.9 GiB"
std::string size_text(Bytes bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  for (; size >= 1024 && unit < 4; ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", unit > 0 && size < 10 ? 1 : 0, size, kUnits[unit]);
  return text;
}

}  // namespace

bool RunEnd::ok() const { return !oom_killed && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string RunEnd::sentence() const {
  if (oom_killed) return "killed for lack of memory at " + size_text(usage.peak_memory);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace sluice
