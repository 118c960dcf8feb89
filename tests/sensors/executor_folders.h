#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "sensors/executor.h"

namespace sluice::executor_test {

inline GroupFolder held(const std::string& path, const std::string& controllers,
                        const std::string& called) {
  const int descriptor = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  EXPECT_GE(descriptor, 0) << path;
  return {controllers, std::make_shared<HeldFolder>(descriptor, called)};
}

inline HostPaths paths_to(ExecutorGroup group) {
  return {"", std::make_shared<const ExecutorGroup>(std::move(group))};
}

}  // namespace sluice::executor_test
