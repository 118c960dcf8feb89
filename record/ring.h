#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::record {

/// A byte ring from one producer thread to one consumer thread, without locks or waits.
class Ring {
 public:
  /// `capacity` is a power of two. The memory is allocated and touched here: a page fault would
  /// come in `push`, which the governor's calls wait for.
  explicit Ring(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique<char[]>(capacity)) {}

  /// Copies all of the bytes, or none and returns false if there is no room. Producer only.
  bool push(std::string_view bytes) noexcept;

  /// Removes everything that was pushed, and appends it. Consumer only.
  void drain_to(std::string& out);

 private:
  const std::size_t capacity_;
  const std::unique_ptr<char[]> bytes_;
  alignas(64) std::atomic<std::uint64_t> pushed_{0};   ///< Bytes, ever.
  alignas(64) std::atomic<std::uint64_t> drained_{0};  ///< Likewise.
};

}  // namespace sluice::record
