#include "allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t count = 0, until_failure = 0;

void* allocated(std::size_t size, std::size_t alignment) {
  ++count;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* found(std::size_t size, std::size_t alignment) {
  if (until_failure > 0 && --until_failure == 0) return nullptr;
  return allocated(size, alignment);
}

void* found_or_thrown(std::size_t size, std::size_t alignment) {
  while (true) {
    if (void* const memory = found(size, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

namespace sluice::testing {

std::uint64_t allocations() { return count; }
void fail_allocation(std::uint64_t number) { until_failure = number; }
bool has_failed() { return until_failure == 0; }

}  // namespace sluice::testing

void* operator new(std::size_t size) { return found_or_thrown(size, kUsual); }
void* operator new[](std::size_t size) { return found_or_thrown(size, kUsual); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocated(size, kUsual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocated(size, kUsual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return found_or_thrown(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
