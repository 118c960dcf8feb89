#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptors.h"

namespace sluice {

/// A folder of this process's user that no other user can enter: a folder, not a link, owned by the
/// user, mode 0700. Open as long as this exists.
class PrivateFolder {
 public:
  /// Opens it; makes it if it is missing. On failure, one line that names the folder, what is wrong
  /// with it and what to do.
  static std::variant<PrivateFolder, std::string> open(const std::string& path);

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  PrivateFolder(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::string path_;
  Descriptor descriptor_;
};

/// Whether this is the absolute path of a folder of the user in which nobody else can replace what
/// the user has. $XDG_RUNTIME_DIR may be none: su and `sudo -E` keep that of another user.
bool is_folder_of(const std::string& path, uid_t user);

/// The environment of a user; empty where a variable is not set.
struct UserPlaces {
  std::string runtime;  ///< $XDG_RUNTIME_DIR.
  std::string home;     ///< $HOME.
};

/// Where the private folder of a user may be, the best place first: in the folders for the user's
/// running programs that are there and that only the user can write, last `common`, a name in a
/// folder in which anybody can take it. $HOME/.sluice comes before it if another user has taken the
/// name, or if that folder is there because one had.
std::vector<std::string> user_folder_candidates(const UserPlaces& places, const std::string& common,
                                                uid_t user);

/// Where the daemon that Sluice starts for this user keeps its socket, its log and its lock:
/// `sluice` in $XDG_RUNTIME_DIR or /run/user/UID, if that is there and is the user's, else
/// /tmp/sluice-UID, or $HOME/.sluice if another user has taken that. The folder itself may be
/// missing.
std::string user_folder();

/// The socket of that daemon.
std::string user_daemon_socket();

/// The same if its folder is there and private, so that only this user can have made the socket;
/// else empty.
std::string trusted_user_daemon_socket();

}  // namespace sluice
