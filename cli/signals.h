#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace sluice::cli {

/// Signals as a descriptor that becomes readable. They are blocked from here on, in this thread
/// and in those it starts: to be made before any other thread is.
class Signals {
 public:
  explicit Signals(std::initializer_list<int> handled) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : handled) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

  /// The next one that came; 0: none.
  int next() const {
    signalfd_siginfo info{};
    if (read(descriptor_, &info, sizeof info) != sizeof info) return 0;
    return static_cast<int>(info.ssi_signo);
  }

 private:
  int descriptor_;
};

}  // namespace sluice::cli
