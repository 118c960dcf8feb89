#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <vector>

#include "base/descriptors.h"

namespace sluice {

/// Something that happened to a process.
struct ProcessEvent {
  enum class What {
    appeared,  ///< `parent` has started it.
    became,    ///< It executes another program.
    ended,     ///< Its first thread has; others may go on (see `is_over`).
  };
  What what;
  pid_t process = 0;
  pid_t parent = 0;
  std::optional<int> status = {};  ///< Of `ended`, as `wait` returns it, where it is known.

  bool operator==(const ProcessEvent&) const = default;
};

/// The kernel's events of all processes of the host (proc connector). Only root gets them, and only
/// in the first pid namespace. Not thread-safe.
class ProcessConnector {
 public:
  /// nullopt if the kernel does not send them to this process.
  static std::optional<ProcessConnector> open();

  int descriptor() const { return socket_.get(); }  ///< Readable when there are events.

  struct Batch {
    std::vector<ProcessEvent> events;
    std::set<pid_t> threaded;    ///< Processes that have started threads.
    bool is_incomplete = false;  ///< Events were lost to overflow: scan the processes.
  };
  /// What has happened; never waits.
  Batch read();

 private:
  explicit ProcessConnector(int socket) : socket_(socket) {}

  Descriptor socket_;
};

}  // namespace sluice
