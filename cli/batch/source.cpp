#include "cli/batch/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_text.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kSourceChunk = 65536;

/// Longer lines are cut here, which leaves them too long for a command: the input then rejects
/// them.
constexpr std::size_t kMostLine = 1 << 20;

}  // namespace

std::variant<BatchSource, std::string> BatchSource::open(const std::string& path, BatchEnd end) {
  BatchSource source;
  source.end_ = end == BatchEnd::nul ? '\0' : '\n';
  source.name_ = path == "-" ? "stdin" : path;
  // A copy of standard input, so that no other file gets its number once it is closed.
  source.descriptor_.reset(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                       : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!source.descriptor_ || fstat(source.descriptor_.get(), &status) != 0) {
    return errno_text(source.name_);
  }
  if (S_ISDIR(status.st_mode)) return errno_text(source.name_, EISDIR);
  if (S_ISREG(status.st_mode)) {
    while (source.is_stream()) source.read();
  }
  if (source.problem_) return *source.problem_;
  return source;
}

void BatchSource::read() {
  const std::size_t before = text_.size();
  text_.resize(before + kSourceChunk);
  const ssize_t got = ::read(descriptor_.get(), text_.data() + before, kSourceChunk);
  text_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return;
  if (got < 0) problem_ = errno_text(name_);
  descriptor_.reset();
  finish();
}

/// A last line without a terminator is complete, but half a command must not run.
void BatchSource::finish() {
  if (text_.empty() || text_.back() == end_) return;
  if (!problem_) {
    text_ += end_;
    return;
  }
  const std::size_t end = text_.rfind(end_);
  text_.erase(end == std::string::npos ? 0 : end + 1);
}

void BatchSource::forget_taken() {
  if (at_ < kSourceChunk && at_ < text_.size()) return;
  if (at_ * 2 < text_.size()) return;
  text_.erase(0, at_);
  at_ = 0;
}

std::optional<std::string> BatchSource::next() {
  if (next_line_ < lines_.size()) return std::move(lines_[next_line_++]);
  const std::size_t end = text_.find(end_, at_);
  if (end == std::string::npos) {
    if (text_.size() - at_ <= kMostLine) return std::nullopt;
    std::string line = text_.substr(at_);
    text_.clear();
    at_ = 0;
    if (std::exchange(skipping_, true)) return std::nullopt;
    return line;
  }
  std::string line = text_.substr(at_, end - at_);
  at_ = end + 1;
  forget_taken();
  if (std::exchange(skipping_, false)) return next();
  return line;
}

}  // namespace sluice::cli
