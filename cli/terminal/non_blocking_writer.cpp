#include "cli/terminal/non_blocking_writer.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sluice::cli {
namespace {

constexpr std::size_t kMostKept = 1 << 20;

}  // namespace

bool takes_more(int descriptor) {
  pollfd ready{descriptor, POLLOUT, 0};
  return poll(&ready, 1, 0) > 0;
}

void NonBlockingWriter::write(std::string_view text) {
  if (kept_.size() + text.size() > kMostKept) {
    dropped_ += text.size();
  } else {
    kept_ += text;
  }
  pump();
}

void NonBlockingWriter::pump() {
  while (!kept_.empty() && takes_more(descriptor_)) {
    // POSIX guarantees that a ready pipe takes this much without blocking.
    const ssize_t put =
        ::write(descriptor_, kept_.data(), std::min<std::size_t>(kept_.size(), PIPE_BUF));
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put < 0) error_ = errno;
    // The reader is gone, or the descriptor cannot be written: discard the text.
    kept_.erase(0, put < 0 ? kept_.size() : static_cast<std::size_t>(put));
  }
  if (dropped_ == 0 || !kept_.empty()) return;
  kept_ = "(" + std::to_string(dropped_) + " bytes dropped here: nobody was reading)\n";
  dropped_ = 0;
}

}  // namespace sluice::cli
