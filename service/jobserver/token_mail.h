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
class TokenMail {
 public:
  struct Letter {
    std::uint64_t client;
    JobId job;
    Admission admission;
  };

  TokenMail() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~TokenMail() { close(wake_); }
  TokenMail(const TokenMail&) = delete;
  TokenMail& operator=(const TokenMail&) = delete;

  int descriptor() const { return wake_; }

  void put(Letter letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
  }

  std::vector<Letter> take() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
    return std::exchange(letters_, {});
  }

 private:
  int wake_;
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

}  // namespace sluice
