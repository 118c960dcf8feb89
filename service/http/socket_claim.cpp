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

namespace sluice::http {
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
/// made it while another process has inherited it, and then no process answers.
bool may_serve(pid_t server) {
  if (server <= 0) return true;
  const auto process = read_process(server);
  return process && process->is_alive();
}

/// The process that answers at the path, 0 if unknown; nullopt, with errno, if none does.
std::optional<pid_t> server_at(const sockaddr_un& address) {
  const Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!client) return std::nullopt;
  if (connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    // A full backlog (EAGAIN) also means that a process listens.
    return errno == EAGAIN ? std::optional<pid_t>(0) : std::nullopt;
  }
  const auto server = credentials_of_peer(client.get());
  const pid_t process = server ? server->pid : 0;
  if (may_serve(process)) return process;
  errno = ECONNREFUSED;
  return std::nullopt;
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
  const Descriptor lock(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct flock all = whole_file();
  const bool is_held = lock && fcntl(lock.get(), F_GETLK, &all) == 0 && all.l_type != F_UNLCK;
  return is_held ? all.l_pid : 0;
}

/// The lock file, locked; none with errno, EWOULDBLOCK if another process holds the lock.
Descriptor lock_file(const std::string& path) {
  while (true) {
    Descriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct flock all = whole_file();
    if (!lock || fcntl(lock.get(), F_SETLK, &all) != 0) return Descriptor();
    // The previous holder may have removed the file between the two calls.
    struct stat opened {};
    struct stat there {};
    if (fstat(lock.get(), &opened) == 0 && stat(path.c_str(), &there) == 0 &&
        opened.st_ino == there.st_ino) {
      return lock;
    }
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

/// A listening socket at the path; none with errno.
Descriptor bind_at(const std::string& path, const sockaddr_un& address, gid_t group) {
  Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The first mode applies before the socket is visible, so it never has more rights; the second
  // overrides the umask.
  const bool done =
      listening && fchmod(listening.get(), kClosedMode) == 0 &&
      bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      lchown(path.c_str(), kSameUser, group) == 0 && chmod(path.c_str(), kSocketMode) == 0 &&
      listen(listening.get(), SOMAXCONN) == 0;
  return done ? std::move(listening) : Descriptor();
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
  Descriptor lock = lock_file(lock_path);
  if (!lock && errno == EWOULDBLOCK) return held_by(path, lock_holder(lock_path));
  if (!lock) return errno_text(lock_path);
  SocketClaim claim(path, std::move(lock));
  if (auto problem = clear_way(path, *address)) {
    claim.path_.clear();
    unlink(lock_path.c_str());
    return *std::move(problem);
  }
  claim.listening_ = bind_at(path, *address, group);
  if (!claim.listening_ && errno == EPERM) return not_in_group(path, group);
  if (!claim.listening_) return errno_text(path);
  return claim;
}

void SocketClaim::withdraw() const {
  if (!path_.empty()) unlink(path_.c_str());
}

SocketClaim::~SocketClaim() {
  if (path_.empty()) return;
  withdraw();
  unlink((path_ + ".lock").c_str());
}

}  // namespace sluice::http
