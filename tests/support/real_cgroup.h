#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "sensors/files/result.h"

namespace sluice {

/// A cgroup of this machine in the v1 hierarchy of one controller, removed by the destructor. Tests
/// that cannot have one skip.
class RealCgroup {
 public:
  /// Below this process's group if that is visible, so the group's limits still apply.
  explicit RealCgroup(const std::string& controller);
  ~RealCgroup();
  RealCgroup(const RealCgroup&) = delete;
  RealCgroup& operator=(const RealCgroup&) = delete;

  /// Why it could not be created; empty if it was.
  const std::string& problem() const { return problem_; }
  const std::string& folder() const { return folder_; }
  /// False if the kernel refuses.
  bool write(const std::string& file, const std::string& value) const;

 private:
  std::string folder_;
  std::string problem_;
};

/// A child process that runs `work`; the destructor kills and reaps it.
class Child {
 public:
  explicit Child(const std::function<void()>& work);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

/// A child that takes one-byte orders and answers each with a byte once it is done.
class ObedientChild {
 public:
  explicit ObedientChild(std::function<void(char)> obey);
  bool order(char what);
  pid_t pid() const { return child_->pid(); }
  ~ObedientChild();
  ObedientChild(const ObedientChild&) = delete;
  ObedientChild& operator=(const ObedientChild&) = delete;

 private:
  int orders_[2] = {-1, -1};
  int answers_[2] = {-1, -1};
  std::unique_ptr<Child> child_;
};

}  // namespace sluice
