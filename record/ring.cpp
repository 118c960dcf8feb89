#include "record/ring.h"

#include <algorithm>
#include <cstring>

namespace sluice::record {

bool Ring::push(std::string_view bytes) noexcept {
  const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
  const std::uint64_t in_use = pushed - drained_.load(std::memory_order_acquire);
  if (bytes.size() > capacity_ - in_use) return false;
  const std::size_t at = pushed & (capacity_ - 1);
  const std::size_t to_end = std::min(bytes.size(), capacity_ - at);
  std::memcpy(bytes_.get() + at, bytes.data(), to_end);
  std::memcpy(bytes_.get(), bytes.data() + to_end, bytes.size() - to_end);
  pushed_.store(pushed + bytes.size(), std::memory_order_release);
  return true;
}

void Ring::drain_to(std::string& out) {
  const std::uint64_t drained = drained_.load(std::memory_order_relaxed);
  const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
  const std::size_t count = pushed - drained;
  const std::size_t at = drained & (capacity_ - 1);
  const std::size_t to_end = std::min(count, capacity_ - at);
  out.append(bytes_.get() + at, to_end);
  out.append(bytes_.get(), count - to_end);
  drained_.store(pushed, std::memory_order_release);
}

}  // namespace sluice::record
