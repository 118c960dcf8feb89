#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/descriptors.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A process without a parent that waits for it, which this process can watch and end.
class DetachedProcess {
 public:
  /// Starts a program as a daemon: in a session of its own, in the folder /, with default signals
  /// and, where that is allowed, nice 0, with `log` as standard output and error, no other
  /// descriptor, and without the variables by which a build knows its permit and its tokens.
  /// `argv[0]` is the program's path. Call it before this process has threads. On failure, returns
  /// the reason.
  static std::variant<DetachedProcess, std::string> start(const std::vector<std::string>& argv,
                                                          int log);

  bool has_ended() const;
  /// Sends SIGTERM and waits, at most `patience`, for its end.
  void terminate(Duration patience) const;

 private:
  explicit DetachedProcess(pid_t pid) : pid_(pid), descriptor_(open_pidfd(pid)) {}

  pid_t pid_;
  Descriptor descriptor_;  ///< A pidfd; none once it has ended.
};

/// The path of this program, to run it again.
std::string own_program();

/// Says that a file of the daemon's folder cannot be opened or made, why by an errno, and what to
/// do. Pure.
std::string unopened_file(const std::string& path, int error);

/// Whether a variable must not reach a daemon. Pure.
bool belongs_to_a_build(std::string_view name);

}  // namespace sluice::cli
