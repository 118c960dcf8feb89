#include "base/file_contents.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptors.h"

namespace sluice {

std::optional<std::string> file_contents(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string contents;
  std::array<char, 16384> bytes;
  while (true) {
    const ssize_t got = read(file.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return contents;
    contents.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace sluice
