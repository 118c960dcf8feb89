#pragma once

#include <signal.h>

#include <cerrno>

namespace sluice {

/// Blocks all signals in this thread while it lives; leaves errno as it is. A thread or process
/// that starts meanwhile begins with all of them blocked.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() {
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t before_;
};

}  // namespace sluice
