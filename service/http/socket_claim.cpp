#include "service/http/socket_claim.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/errno_text.h"
#include "base/process_table.h"
#include "base/socket_places.h"

namespace sluice {
namespace {

constexpr mode_t kClosedMode = 0600;
constexpr mode_t kSocketMode = 0660;
constexpr auto kSameUser = static_cast<uid_t>(-1);

std::string not_in_group(const std::string& path, gid_t group) {
  return path + " cannot be given to group " + std::to_string(group) +
         " (service.group): run the daemon as root or as a member of that group";
}

std::string held_by(const std::string& path, pid_t holder) {
  std::string message = path + " is already served";
  if (holder > 0) message += " by process " + std::to_string(holder);
  return message;
}

/// Whether the server is alive; one that cannot be seen may be. A socket outlives the process that
/// made it while another process has inherited it, and then nobody answers.
bool may_serve(pid_t server) {
  if (server <= 0) return true;
  const auto process = read_process(server);
  return process && process->is_alive();
}

/// The process that answers at the path, 0 if unknown; nullopt, with errno, if nobody does.
std::optional<pid_t> server_at(const sockaddr_un& address) {
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (client < 0) return std::nullopt;
  std::optional<pid_t> server;
  // A full backlog (EAGAIN) also means that somebody listens.
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    getsockopt(client, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    if (may_serve(credentials.pid)) server = credentials.pid;
    errno = ECONNREFUSED;
  } else if (errno == EAGAIN) {
    server = 0;
  }
  const int error = errno;
  close(client);
  errno = error;
  return server;
}

/// A lock on the whole file, for this process alone: unlike flock's, fork does not pass it on, so
/// it ends with this process whatever has inherited the descriptor.
struct flock whole_file() {
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  return all;
}

/// The process that holds the lock; 0 if none can be seen.
pid_t lock_holder(const std::string& path) {
  const int lock = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return 0;
  struct flock all = whole_file();
  const bool is_held = fcntl(lock, F_GETLK, &all) == 0 && all.l_type != F_UNLCK;
  close(lock);
  return is_held ? all.l_pid : 0;
}

/// The lock file, locked; -1 with errno, EWOULDBLOCK if another process holds the lock.
int lock_file(const std::string& path) {
  while (true) {
    const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0) return -1;
    struct flock all = whole_file();
    if (fcntl(lock, F_SETLK, &all) != 0) {
      const int error = errno;
      close(lock);
      errno = error;
      return -1;
    }
    // The previous holder may have removed the file between the two calls.
    struct stat opened {};
    struct stat there {};
    if (fstat(lock, &opened) == 0 && stat(path.c_str(), &there) == 0 &&
        opened.st_ino == there.st_ino) {
      return lock;
    }
    close(lock);
  }
}

/// Clears the path for a new socket, or returns why it cannot.
std::optional<std::string> clear_way(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0) {
    return errno == ENOENT ? std::nullopt : std::optional(errno_text(path));
  }
  if (!S_ISSOCK(there.st_mode)) return path + " exists but is not a socket; left untouched";
  if (const auto holder = server_at(address)) return held_by(path, *holder);
  if (errno != ECONNREFUSED) return errno_text(path);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return errno_text(path);
  return std::nullopt;
}

/// A listening socket at the path; -1 with errno.
int bind_at(const std::string& path, const sockaddr_un& address, gid_t group) {
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0) return -1;
  // The first mode applies before the socket is visible, so it never has more rights; the second
  // overrides the umask.
  const bool done =
      fchmod(listening, kClosedMode) == 0 &&
      bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      lchown(path.c_str(), kSameUser, group) == 0 && chmod(path.c_str(), kSocketMode) == 0 &&
      listen(listening, SOMAXCONN) == 0;
  if (done) return listening;
  const int error = errno;
  close(listening);
  errno = error;
  return -1;
}

}  // namespace

std::variant<SocketClaim, std::string> SocketClaim::acquire(const std::string& path, Folder folder,
                                                            gid_t group) {
  const auto address = unix_address(path);
  if (!address) return path + ": a socket path may have at most 107 bytes";
  if (folder == Folder::make) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  }
  const std::string lock_path = path + ".lock";
  const int lock = lock_file(lock_path);
  if (lock < 0 && errno == EWOULDBLOCK) return held_by(path, lock_holder(lock_path));
  if (lock < 0) return errno_text(lock_path);
  SocketClaim claim(path, lock, -1);
  if (auto problem = clear_way(path, *address)) {
    claim.path_.clear();
    unlink(lock_path.c_str());
    return *std::move(problem);
  }
  claim.listening_ = bind_at(path, *address, group);
  if (claim.listening_ < 0 && errno == EPERM) return not_in_group(path, group);
  if (claim.listening_ < 0) return errno_text(path);
  return claim;
}

SocketClaim::SocketClaim(SocketClaim&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      lock_(std::exchange(other.lock_, -1)),
      listening_(std::exchange(other.listening_, -1)) {}

void SocketClaim::withdraw() const {
  if (!path_.empty()) unlink(path_.c_str());
}

SocketClaim::~SocketClaim() {
  if (!path_.empty()) {
    withdraw();
    unlink((path_ + ".lock").c_str());
  }
  if (listening_ >= 0) close(listening_);
  if (lock_ >= 0) close(lock_);
}

}  // namespace sluice
