#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "sluice/governor.h"

namespace sluice {

/// Delivers permits from the governor's threads. Outlives the jobserver, because deliveries may be
/// late.
class TokenMailbox {
 public:
  struct Delivery {
    std::uint64_t client;
    JobId job;
    Admission admission;
  };

  TokenMailbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~TokenMailbox() { close(wake_); }
  TokenMailbox(const TokenMailbox&) = delete;
  TokenMailbox& operator=(const TokenMailbox&) = delete;

  int descriptor() const { return wake_; }

  void put(Delivery delivery) {
    const std::lock_guard lock(mutex_);
    deliveries_.push_back(std::move(delivery));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
  }

  std::vector<Delivery> take() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
    return std::exchange(deliveries_, {});
  }

 private:
  int wake_;
  std::mutex mutex_;
  std::vector<Delivery> deliveries_;
};

}  // namespace sluice
