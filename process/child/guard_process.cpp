#include "process/child/guard_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace sluice {
namespace {

constexpr int kFirst = 3;  ///< After the streams.

void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  int next = kFirst;
  for (const int each : kept) {
    if (each > next) syscall(SYS_close_range, next, each - 1, 0);
    next = each + 1;
  }
  syscall(SYS_close_range, next, ~0u, 0);
}

}  // namespace

std::vector<int> become_guard(std::vector<int> kept) {
  setsid();
  // Not prctl(): that of a sanitizer takes a lock, which another thread may have held at the fork.
  syscall(SYS_prctl, PR_SET_NAME, "sluice-guard", 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  for (int& each : kept) {
    if (each < kFirst) each = fcntl(each, F_DUPFD_CLOEXEC, kFirst);
  }
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < kFirst; ++stream) dup2(nothing, stream);
  close_all_but(kept);
  [[maybe_unused]] const int ignored = chdir("/");
  return kept;
}

}  // namespace sluice
