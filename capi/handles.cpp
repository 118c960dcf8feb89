#include "capi/handles.h"

#include <new>
#include <utility>

namespace {

/// Memory for one permit, or none.
class Spare {
 public:
  Spare() = default;
  ~Spare() { ::operator delete(memory_); }
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;

  void* get() { return std::exchange(memory_, nullptr); }
  void put(void* memory) { ::operator delete(std::exchange(memory_, memory)); }

 private:
  void* memory_ = nullptr;
};

// The thread's own storage, reached without a call.
[[gnu::tls_model("initial-exec")]] thread_local constinit Spare spare;

}  // namespace

void* sluice_permit::operator new(std::size_t size) {
  void* const memory = spare.get();
  return memory != nullptr ? memory : ::operator new(size);
}

void sluice_permit::operator delete(void* memory) { spare.put(memory); }
