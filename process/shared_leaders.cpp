#include "process/shared_leaders.h"

#include <sys/mman.h>

namespace sluice {
namespace {

constexpr std::size_t kSlots = 65'536;
constexpr std::size_t kBytes = kSlots * sizeof(std::atomic<pid_t>);
static_assert(std::atomic<pid_t>::is_always_lock_free);

}  // namespace

SharedLeaders::SharedLeaders() {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // Zeros are free slots.
  if (memory != MAP_FAILED) slots_ = {static_cast<std::atomic<pid_t>*>(memory), kSlots};
}

SharedLeaders::~SharedLeaders() {
  if (!slots_.empty()) munmap(slots_.data(), kBytes);
}

std::atomic<pid_t>* SharedLeaders::next() {
  if (!free_.empty()) return &slots_[free_.back()];
  return unused_ < slots_.size() ? &slots_[unused_] : nullptr;
}

void SharedLeaders::add(pid_t leader) {
  std::atomic<pid_t>* slot = next();
  if (!slot) return;
  *slot = leader;
  slot_of_[leader] = static_cast<std::size_t>(slot - slots_.data());
  free_.empty() ? void(++unused_) : free_.pop_back();
}

void SharedLeaders::clear_next() {
  if (std::atomic<pid_t>* slot = next()) *slot = 0;
}

void SharedLeaders::remove(pid_t leader) {
  const auto found = slot_of_.find(leader);
  if (found == slot_of_.end()) return;
  slots_[found->second] = 0;
  free_.push_back(found->second);
  slot_of_.erase(found);
}

std::vector<pid_t> SharedLeaders::all() const {
  std::vector<pid_t> leaders;
  for (const std::atomic<pid_t>& slot : slots_) {
    if (const pid_t leader = slot) leaders.push_back(leader);
  }
  return leaders;
}

}  // namespace sluice
