#include "base/terminal_stop.h"

#include <signal.h>

namespace sluice {

void stop_by_sigtstp() {
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &standard, &before);
  sigset_t only;
  sigset_t mask;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &only, &mask);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTSTP, &before, nullptr);
}

}  // namespace sluice
