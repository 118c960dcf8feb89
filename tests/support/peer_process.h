#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "client/client.h"

namespace sluice::testing {

/// A process with another user's rights, which makes requests on command. Only root can create one;
/// create it before this process has threads.
class PeerProcess {
 public:
  PeerProcess(uid_t user, gid_t group, const std::vector<gid_t>& further_groups = {});
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// One request on a connection of its own; status 0 and the problem if it failed.
  ClientReply ask(const std::string& socket, const std::string& method, const std::string& target,
                  const std::string& body = {}) const;
  /// The same, but keeps the connection open.
  ClientReply ask_and_stay(const std::string& socket, const std::string& method,
                           const std::string& target) const;
  pid_t pid() const { return pid_; }

 private:
  ClientReply tell(const std::string& line) const;

  int connection_;
  pid_t pid_;
};

}  // namespace sluice::testing
