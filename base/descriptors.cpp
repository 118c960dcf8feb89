#include "base/descriptors.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/folder.h"

namespace sluice {

void Descriptor::reset(int number) noexcept {
  const int error = errno;
  if (number_ >= 0) close(number_);
  errno = error;
  number_ = number;
}

Descriptor open_pidfd(pid_t process) noexcept {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

bool is_lack_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

std::uint64_t open_descriptors() { return names_in_folder("/proc/self/fd").size(); }

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return descriptor_limit();
}

void watch_readable(int epoll, int descriptor) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = descriptor;
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &wanted);
}

/// Its memory is not cleared before: of a limit of 1 MiB, a file has some KiB.
std::optional<std::string> read_up_to(int descriptor, std::size_t most) {
  std::string text;
  char part[1 << 14];
  while (text.size() < most) {
    const ssize_t got = read(descriptor, part, std::min(sizeof part, most - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

std::size_t write_all(int descriptor, std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t got = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) written += static_cast<std::size_t>(got);
  }
  return written;
}

}  // namespace sluice
