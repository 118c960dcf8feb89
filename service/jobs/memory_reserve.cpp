#include "service/jobs/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace sluice {
namespace {

// Globals, because a new handler gets no argument.
std::atomic<void*> reserve{nullptr};
std::atomic<bool> is_taken{false};
thread_local bool may_fail = false;

void give_way() {
  void* const kept = may_fail ? nullptr : reserve.exchange(nullptr);
  if (!kept) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

MemoryReserve::MemoryReserve() : is_first_(!is_taken.exchange(true)) {
  if (!is_first_) return;
  refill();
  std::set_new_handler(give_way);
}

MemoryReserve::~MemoryReserve() {
  if (!is_first_) return;
  std::set_new_handler(nullptr);
  std::free(reserve.exchange(nullptr));
  is_taken = false;
}

bool MemoryReserve::refill() {
  if (reserve.load()) return true;
  void* kept = std::malloc(kBytes);
  // Another thread may have refilled it meanwhile.
  void* none = nullptr;
  if (kept && reserve.compare_exchange_strong(none, kept)) return true;
  std::free(kept);
  return none != nullptr;
}

Fallible::Fallible() : before_(std::exchange(may_fail, true)) {}
Fallible::~Fallible() { may_fail = before_; }

Infallible::Infallible() : before_(std::exchange(may_fail, false)) {}
Infallible::~Infallible() { may_fail = before_; }

}  // namespace sluice
