#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "sluice/permit.h"
#include "sluice/status.h"

namespace sluice::cli {

/// Messages from the governor's threads to the main thread, and a descriptor that wakes it.
class Inbox {
 public:
  struct Contents {
    std::vector<std::pair<std::size_t, Permit>> admitted;  ///< Item and permit.
    std::vector<WindowChange> changes;
  };

  Inbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Inbox() { close(wake_); }
  int descriptor() const { return wake_; }

  void admitted(std::size_t item, Admission admission) {
    // A refusal here ends a wait that is no longer wanted.
    if (auto* permit = std::get_if<Permit>(&admission)) {
      put([&] { contents_.admitted.emplace_back(item, std::move(*permit)); });
    }
  }
  void changed(const WindowChange& change) {
    put([&] { contents_.changes.push_back(change); });
  }
  Contents take() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_, &count, sizeof count);
    return std::exchange(contents_, {});
  }

 private:
  template <typename Put>
  void put(Put put) {
    const std::lock_guard lock(mutex_);
    put();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
  }

  int wake_;
  std::mutex mutex_;
  Contents contents_;
};

}  // namespace sluice::cli
