#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

/// A listening Unix socket at a path that nobody else serves, and the claim to it: this process's,
/// which ends with it however it ends, and whatever process has inherited the descriptors. Removes
/// the socket and its lock file at the end.
class SocketClaim {
 public:
  /// Whether the folder of the socket is made where it is missing: of the default place only.
  enum class Folder { given, make };

  /// Takes the path, also from a daemon that is gone, and gives the socket to the group, which may
  /// use it as this process's user may (mode 0660). The other way: one line that says who holds it
  /// or what stands in the way. What is no socket is never removed.
  static std::variant<SocketClaim, std::string> take(const std::string& path, Folder folder,
                                                     gid_t group);

  SocketClaim(SocketClaim&& other) noexcept;
  SocketClaim& operator=(SocketClaim&&) = delete;
  ~SocketClaim();

  const std::string& path() const { return path_; }
  /// The listening socket, the caller's from now on.
  int take_descriptor() { return std::exchange(listening_, -1); }

 private:
  SocketClaim(std::string path, int lock, int listening)
      : path_(std::move(path)), lock_(lock), listening_(listening) {}

  std::string path_;
  int lock_;
  int listening_;
};

/// What is wrong with an address to listen on, whether or not it is free; none: nothing.
std::optional<std::string> problem_of_address(const std::string& address);

/// A listening TCP socket on "HOST:PORT" or "[IPV6]:PORT", or one line that says why not. An empty
/// host is refused: every address of a host is meant only by who says so.
std::variant<int, std::string> listen_tcp(const std::string& address);

/// Whether other hosts could reach the socket, by what it is bound to.
bool listens_to_network(int descriptor);

/// "127.0.0.1:9797": where a TCP socket listens.
std::string bound_address(int descriptor);

}  // namespace sluice
