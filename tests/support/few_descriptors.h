#pragma once

#include <sys/resource.h>

namespace sluice::testing {

/// While it exists, this process and those it starts may open only descriptors below a number.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t below) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{below, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace sluice::testing
