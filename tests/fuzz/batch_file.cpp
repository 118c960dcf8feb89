// A file of commands as `sluice batch` reads it. Reading takes longer than processing its lines.
#include <sys/mman.h>
#include <unistd.h>

#include "cli/batch/source.h"
#include "support/fuzz.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

/// In memory, since no input may create a file.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("lines", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }

  std::string holding(std::string_view text) const {
    require(ftruncate(descriptor_, 0) == 0, "the file can be emptied");
    const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
    require(written == static_cast<ssize_t>(text.size()), "the file can be written");
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  static const MemoryFile file;
  auto opened = cli::BatchSource::open(file.holding(text), cli::BatchEnd::newline);
  require(std::holds_alternative<cli::BatchSource>(opened), "the file can be read");
  auto& source = std::get<cli::BatchSource>(opened);
  while (const auto line = source.next()) {
    require(*line == cut(text, "\n"), "a line is what stands between two ends");
  }
  require(text.empty() && source.is_over(), "no line is lost");
}
