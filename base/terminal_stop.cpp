#include "base/terminal_stop.h"

#include <signal.h>

namespace sluice {

void stop_by_sigtstp() {
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  sigset_t only;
  sigset_t mask;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  // Raised before it can come: one of the terminal may be pending, too. The first that comes stops
  // the process, and the kernel discards the other as it continues.
  pthread_sigmask(SIG_BLOCK, &only, &mask);
  sigaction(SIGTSTP, &standard, &before);
  raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTSTP, &before, nullptr);
}

}  // namespace sluice
