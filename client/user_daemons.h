#pragma once

#include <string>
#include <vector>

namespace sluice {

// In the private folder of a user (`base/user_folder.h`), beside the socket of the usual daemon:
inline constexpr const char* kGroupPrefix = "group-";  ///< A socket for one memory limit's builds,
inline constexpr const char* kSocketSuffix = ".sock";  ///< which ends so,
inline constexpr const char* kAlonePrefix = "alone-";  ///< and a folder with that of one build.

/// A daemon of this user besides the usual one, or what it has left.
struct FurtherDaemon {
  enum class State { serves, killed, unknown };

  std::string place;  ///< Its own folder, or else its socket.
  std::string socket;
  State state = State::unknown;
};

/// Those in this user's private folder, by name. Connects to each, without waiting.
std::vector<FurtherDaemon> further_daemons();

/// Those of them that serve.
std::vector<FurtherDaemon> further_daemons_that_serve();

/// Their sockets.
std::vector<std::string> further_sockets();

/// Whether a socket is, or was, that of such a daemon.
bool is_further_socket(const std::string& socket);

/// What such a daemon is for, and its socket: "a daemon for one build serves at PATH".
std::string about(const FurtherDaemon& daemon);

/// The same of each of them that serves, and how to use it, as part of a sentence; empty if there
/// is none.
std::string about_further_daemons();

}  // namespace sluice
