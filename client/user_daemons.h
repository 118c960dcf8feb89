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

/// What each of them that serves is for, its socket, and how to use it, as part of a sentence;
/// empty if there is none.
std::string about_further_daemons();

}  // namespace sluice
