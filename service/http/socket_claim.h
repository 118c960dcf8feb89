#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <variant>

#include "base/descriptors.h"

namespace sluice::http {

/// A listening Unix socket at a path that no other process serves, and the lock on that path. The
/// lock belongs to this process and ends with it, however it ends and whichever process has
/// inherited the descriptors. Removes the socket and its lock file at the end.
class SocketClaim {
 public:
  /// Whether to create the socket's folder if it is missing: for the default path only.
  enum class Folder { given, make };

  /// Takes the path, also from a daemon that is gone, and gives the socket to the group, whose
  /// members may use it like this process's user (mode 0660). On failure, returns one line with the
  /// holder or the obstacle. Never removes a file that is not a socket.
  static std::variant<SocketClaim, std::string> acquire(const std::string& path, Folder folder,
                                                        gid_t group);

  SocketClaim(SocketClaim&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        lock_(std::move(other.lock_)),
        listening_(std::move(other.listening_)) {}
  SocketClaim& operator=(SocketClaim&&) = delete;
  ~SocketClaim();

  const std::string& path() const { return path_; }
  /// The listening socket; the caller owns it from now on.
  int take_descriptor() { return listening_.release(); }
  /// Removes the socket and keeps the lock: clients see that it went, and was not killed.
  void withdraw() const;

 private:
  SocketClaim(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  Descriptor lock_, listening_;
};

}  // namespace sluice::http
