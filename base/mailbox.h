#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/descriptors.h"

namespace sluice {

/// Delivers messages from any thread to one that polls `descriptor`. Thread-safe.
template <typename Message>
class Mailbox {
 public:
  Mailbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  /// Readable while a message waits.
  int descriptor() const { return wake_.get(); }

  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
  }

  /// All messages since the last call, in order of arrival. Never blocks.
  std::vector<Message> take_all() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
    return std::exchange(messages_, {});
  }

 private:
  const Descriptor wake_;
  std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace sluice
