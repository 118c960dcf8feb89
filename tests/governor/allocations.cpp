#include "allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kUsual = alignof(std::max_align_t);

thread_local std::uint64_t count = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++count;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* counted_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = counted(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace sluice::fakes {

std::uint64_t allocations() { return count; }

}  // namespace sluice::fakes

void* operator new(std::size_t size) { return counted_or_throw(size, kUsual); }
void* operator new[](std::size_t size) { return counted_or_throw(size, kUsual); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, kUsual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, kUsual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
