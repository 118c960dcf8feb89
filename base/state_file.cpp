#include "base/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <stdexcept>
#include <string_view>

#include "base/descriptors.h"

namespace sluice {
namespace {

/// A path held open with O_PATH, without opening the file: a fifo does not block, a device does not
/// notice, and closing it does not release SQLite's locks on the file.
class Place {
 public:
  explicit Place(const std::string& path)
      : descriptor_(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {
    if (fstat(descriptor_.get(), &facts_) != 0) facts_ = {};
  }

  /// 0 if nothing is there, or it cannot be examined.
  mode_t kind() const { return facts_.st_mode & S_IFMT; }

  void make_private() const {
    if ((facts_.st_mode & 07777) == 0600) return;
    // Fails on another user's file: the code that can open it then carries on with it.
    chmod(("/proc/self/fd/" + std::to_string(descriptor_.get())).c_str(), 0600);
  }

 private:
  Descriptor descriptor_;
  struct stat facts_ {};
};

std::string_view kind_text(mode_t kind) {
  if (S_ISLNK(kind)) return "a symbolic link, which is not followed";
  if (S_ISDIR(kind)) return "a folder";
  if (S_ISFIFO(kind)) return "a fifo";
  return S_ISSOCK(kind) ? "a socket" : "a device";
}

/// Throws unless `place` is empty or a regular file.
void check(const Place& place, const std::string& name) {
  if (place.kind() == 0 || place.kind() == S_IFREG) return;
  throw std::runtime_error(name + " is " + std::string(kind_text(place.kind())) +
                           ": move it away; a new file will be created");
}

}  // namespace

void refuse_irregular(const std::string& path) { check(Place(path), path); }

void keep_private(const std::string& path) {
  const Place place(path);
  check(place, path);
  if (place.kind() == S_IFREG) place.make_private();
  constexpr std::array<std::string_view, 3> kParts{"-wal", "-shm", "-journal"};
  for (const std::string_view part : kParts) {
    const std::string name = path + std::string(part);
    const Place beside(name);
    check(beside, name);
    if (beside.kind() == S_IFREG) beside.make_private();
  }
  if (place.kind() == S_IFREG) return;
  const Descriptor made(
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace sluice
