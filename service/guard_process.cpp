#include "service/guard_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sluice {

int become_guard(int socket) {
  constexpr int kSocket = 3;
  setsid();
  prctl(PR_SET_NAME, "sluice-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  if (socket != kSocket) dup2(socket, kSocket);
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) dup2(nothing, stream);
  syscall(SYS_close_range, kSocket + 1, ~0u, 0);
  [[maybe_unused]] const int ignored = chdir("/");
  return kSocket;
}

}  // namespace sluice
