#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sluice::testing {

/// Whether a process has ended, even if not yet reaped.
bool gone(pid_t process);

/// A real command with its output in files; the destructor kills and reaps it if it still runs.
class CommandRunner {
 public:
  CommandRunner(const std::vector<std::string>& command, const std::string& folder);
  ~CommandRunner();

  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  pid_t pid() const { return pid_; }
  /// Waits for its end. Returns the status of `waitpid`.
  int wait();
  std::string out() const;
  std::string err() const;

 private:
  std::string out_;
  std::string err_;
  pid_t pid_;
};

}  // namespace sluice::testing
