#include "base/file_contents.h"

#include <fcntl.h>

#include "base/descriptors.h"

namespace sluice {

std::optional<std::string> file_contents(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? read_up_to(file.get(), std::string::npos) : std::nullopt;
}

}  // namespace sluice
