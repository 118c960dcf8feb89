#include "service/jobserver/token_fifo.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/errno_text.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "service/jobserver/auth_style.h"

namespace sluice::jobserver {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "sluice-jobserver-";
constexpr std::string_view kName = "/fifo";

std::string folder_for(const std::string& given) {
  if (!given.empty()) return given;
  const std::string runtime = environment_text("XDG_RUNTIME_DIR");
  if (can_be_in_makeflags(runtime) && is_folder_of(runtime, geteuid())) return runtime;
  std::error_code problem;
  const std::string temporary = fs::temp_directory_path(problem).string();
  const bool is_usable =
      can_be_in_makeflags(temporary) && !problem && access(temporary.c_str(), W_OK | X_OK) == 0;
  return is_usable ? temporary : "/tmp";
}

void remove_all_of(const std::string& folder) {
  unlink((folder + std::string(kName)).c_str());
  rmdir(folder.c_str());
}

/// Whether a sweeper took the folder for one left behind, in the instant before it was locked.
bool is_swept(int lock_problem) { return lock_problem == ENOENT || lock_problem == EWOULDBLOCK; }

/// Whether a process has the fifo open: a build goes on when the one that gave it its tokens dies.
/// A process that is not root cannot see this of a fifo that it gave to another user: that counts
/// as in use, since a build whose fifo goes cannot start another make.
bool is_in_use(const std::string& folder) {
  const std::string path = folder + std::string(kName);
  const Descriptor writer(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  return writer || errno == EACCES;
}

/// Changes the owner of the fifo, but not of its folder: the folder's owner could replace the fifo
/// with a link to any file.
bool give(int fifo, int folder, const TokenFifo::Owner& owner) {
  constexpr auto same_group = static_cast<gid_t>(-1);
  return !owner || (fchown(fifo, *owner, same_group) == 0 && fchmod(folder, 0711) == 0);
}

std::string problem_of_giving(const TokenFifo::Owner& owner, int error) {
  const std::string user = owner ? std::to_string(*owner) : "";
  const std::string problem = errno_text("cannot give the jobserver's fifo to user " + user, error);
  if (error != EPERM) return problem;
  return problem +
         "; the daemon lacks the capability CAP_CHOWN: start it as root, or add the drop-in for "
         "its unit in docs/operations.md";
}

/// Creates and opens the fifo in its new folder; returns the problem on failure.
std::variant<Descriptor, std::string> open_in(const std::string& path, int folder,
                                              const TokenFifo::Owner& owner) {
  const char* name = kName.data() + 1;
  if (mkfifoat(folder, name, 0600) != 0) return errno_text("cannot create " + path);
  Descriptor fifo(openat(folder, name, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!fifo) return errno_text("cannot open " + path);
  if (!give(fifo.get(), folder, owner)) return problem_of_giving(owner, errno);
  return fifo;
}

}  // namespace

std::variant<TokenFifo, std::string> TokenFifo::make(const std::string& folder,
                                                     const Owner& owner) {
  const std::string place = folder_for(folder);
  if (!can_be_in_makeflags(place)) return not_in_makeflags(place);
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::string own = place + "/" + std::string(kPrefix) + "XXXXXX";
    if (!mkdtemp(own.data())) return errno_text("cannot create a folder in " + place);
    Descriptor held = lock_folder(own);
    if (!held && is_swept(errno)) continue;
    if (!held) {
      std::string problem = errno_text("cannot lock the folder " + own);
      rmdir(own.c_str());
      return problem;
    }
    auto opened = open_in(own + std::string(kName), held.get(), owner);
    if (auto* fifo = std::get_if<Descriptor>(&opened)) {
      return TokenFifo(own, std::move(held), std::move(*fifo));
    }
    remove_all_of(own);
    return std::get<std::string>(std::move(opened));
  }
  return "cannot keep a folder in " + place + ": something removes it";
}

TokenFifo::TokenFifo(std::string folder, Descriptor lock, Descriptor fifo)
    : folder_(std::move(folder)),
      path_(folder_ + std::string(kName)),
      lock_(std::move(lock)),
      fifo_(std::move(fifo)) {}

TokenFifo::~TokenFifo() {
  if (folder_.empty()) return;
  fifo_.reset();
  remove_all_of(folder_);
}

std::size_t TokenFifo::put(std::size_t tokens) const {
  const std::string bytes(tokens, '+');
  const ssize_t written = write(fifo_.get(), bytes.data(), bytes.size());
  return written > 0 ? static_cast<std::size_t>(written) : 0;
}

std::size_t TokenFifo::take_tokens(std::size_t most) const {
  std::array<char, 256> bytes;
  std::size_t taken = 0;
  while (taken < most) {
    const ssize_t got = read(fifo_.get(), bytes.data(), std::min(most - taken, bytes.size()));
    if (got <= 0) break;
    taken += static_cast<std::size_t>(got);
  }
  return taken;
}

std::size_t TokenFifo::idle() const {
  int bytes = 0;
  if (ioctl(fifo_.get(), FIONREAD, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::size_t>(bytes);
}

std::size_t sweep_token_fifos(const std::string& folder) {
  std::size_t swept = 0;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_for(folder), problem)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    struct stat facts {};
    if (lstat(entry.path().c_str(), &facts) != 0 || facts.st_uid != geteuid()) continue;
    const Descriptor held = lock_folder(entry.path());
    if (!held || is_in_use(entry.path())) continue;
    remove_all_of(entry.path());
    ++swept;
  }
  return swept;
}

}  // namespace sluice::jobserver
