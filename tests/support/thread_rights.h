#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace sluice::testing {

/// Changes the effective user and capabilities of this thread alone, and of those that it starts
/// from then on, until it is destroyed. Only for root.
class ThreadRights {
 public:
  ThreadRights() { syscall(SYS_capget, &header_, before_.data()); }
  ~ThreadRights() {
    syscall(SYS_setresuid, -1, 0, -1);
    syscall(SYS_capset, &header_, before_.data());
  }
  ThreadRights(const ThreadRights&) = delete;
  ThreadRights& operator=(const ThreadRights&) = delete;

  /// Takes away one capability.
  bool drop(int capability) { return set_low(before_[0].effective & ~mask(capability)); }
  /// Makes it another user's thread with one capability.
  bool become(uid_t user, int capability) {
    return syscall(SYS_setresuid, -1, user, -1) == 0 && set_low(mask(capability));
  }

 private:
  static std::uint32_t mask(int capability) { return std::uint32_t{1} << capability; }
  bool set_low(std::uint32_t effective) {
    auto now = before_;
    now[0].effective = effective;
    return syscall(SYS_capset, &header_, now.data()) == 0;
  }

  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> before_{};
};

}  // namespace sluice::testing
