#include "sensors/files/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace sluice {
namespace {

constexpr std::size_t kFirstBuffer = 1024;

/// The kernel gathers records in a page at least, and gives fewer than were asked for only where
/// the next one does not fit into it. So where no record is longer than a KiB, a short read of less
/// is the end. Asking again would let the kernel generate all of it once more.
constexpr std::size_t kSurelyWhole = 4096 - 1024;

/// Errors of reading an open file that has since been removed.
bool is_gone(long error) { return error == -ENODEV || error == -ENOENT || error == -ESTALE; }

}  // namespace

std::string error_text(int error) {
  if (error == EOPNOTSUPP) return "not supported (EOPNOTSUPP): switched off in this kernel";
  return std::generic_category().message(error);
}

bool KeptFile::open_it() {
  // Without O_NONBLOCK, opening a FIFO in place of the file would hang.
  descriptor_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return static_cast<bool>(descriptor_);
}

long KeptFile::fill() {
  if (buffer_.empty()) buffer_.resize(std::min(kFirstBuffer, most_ + 1));
  std::size_t size = 0;
  while (true) {
    const auto offset = static_cast<off_t>(size);
    const long count =
        ::pread(descriptor_.get(), buffer_.data() + size, buffer_.size() - size, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    size += static_cast<std::size_t>(count);
    if (count == 0) return static_cast<long>(size);
    const bool is_short = size < buffer_.size();
    const bool is_whole = content_ == Content::one_record ||
                          (content_ == Content::short_records && size <= kSurelyWhole);
    if (is_short && is_whole) return static_cast<long>(size);
    if (is_short) continue;
    if (size > most_) return -EFBIG;
    // The kernel generates the content for each read from the start: a larger buffer gets it in one
    // piece.
    buffer_.resize(std::min(4 * buffer_.size(), most_ + 1));
    size = 0;
  }
}

ReadFailure KeptFile::failure(int error) {
  absent_ = error == ENOENT;
  return {printable(path_) + ": " + error_text(error)};
}

Result<std::string_view> KeptFile::read() {
  absent_ = false;
  const bool was_open = static_cast<bool>(descriptor_);
  if (!was_open && !open_it()) return failure(errno);
  long size = fill();
  if (was_open && is_gone(size)) {
    descriptor_.reset();
    if (!open_it()) return failure(errno);
    size = fill();
  }
  if (size >= 0) return std::string_view(buffer_).substr(0, static_cast<std::size_t>(size));
  descriptor_.reset();
  return failure(static_cast<int>(-size));
}

Result<std::string> read_once(const std::string& path, std::size_t most) {
  KeptFile file(path, most);
  const auto text = file.read();
  if (const auto* view = value_in(text)) return std::string(*view);
  return failure_in(text);
}

}  // namespace sluice
