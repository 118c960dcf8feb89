#include "cli/batch/output.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/parse.h"
#include "cli/terminal/non_blocking_writer.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kOutputChunk = 65536;
constexpr std::size_t kLastWords = 4096;

/// Jobs whose held output has files of its own; more would exhaust the descriptors.
std::size_t most_held_jobs() {
  constexpr std::uint64_t kMost = 64, kPart = 16;
  return static_cast<std::size_t>(std::min(kMost, descriptor_limit() / kPart));
}

std::string read_at(int file, std::uint64_t at, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = pread(file, text.data(), most, static_cast<off_t>(at));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::string last_words_of(const NamelessFile& file) {
  const std::uint64_t size = file.size();
  const std::uint64_t from = size > kLastWords ? size - kLastWords : 0;
  return std::string(last_line_of(read_at(file.descriptor(), from, kLastWords)));
}

bool is_file(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// Bytes that a ready descriptor takes without blocking: for a pipe the amount that POSIX writes
/// atomically, for a file any.
std::size_t taken_at_once(int descriptor) { return is_file(descriptor) ? kOutputChunk : PIPE_BUF; }

}  // namespace

JobStreams JobStreams::make(NamelessFiles& files) { return {files.make(), files.make()}; }

void JobStreams::close_writers() const {
  for (const auto& file : {output, error}) {
    if (file) file->close_writer();
  }
}

std::string JobStreams::text_of(const NamelessFile& file, std::size_t most) {
  const auto size = static_cast<std::size_t>(file.size());
  return read_at(file.descriptor(), 0, std::min(size, most));
}

std::string JobStreams::last_words() const {
  const std::string line = last_words_of(*error);
  return cut(harmless(line.empty() ? last_words_of(*output) : line), 200);
}

void BatchOutput::add(std::size_t seq, const JobStreams& streams, const std::string& tag) {
  Pieces pieces;
  for (const auto& [file, target] : {std::pair(&streams.output, 1), std::pair(&streams.error, 2)}) {
    const std::uint64_t size = (*file)->size();
    if (size > 0) pieces.push_back({*file, 0, size, target, tag, ""});
  }
  if (order_ == Order::as_they_end || seq == next_) {
    for (Piece& piece : pieces) queue_.push_back(std::move(piece));
    if (seq == next_) ++next_;
  } else {
    held_.emplace(seq, held_.size() < most_held_jobs() ? std::move(pieces) : spooled(pieces));
  }
  release_in_order();
}

void BatchOutput::skip(std::size_t seq) {
  if (order_ == Order::as_they_end) return;
  held_.emplace(seq, Pieces{});
  release_in_order();
}

void BatchOutput::add_text(std::string text) {
  const std::uint64_t size = text.size();
  queue_.push_back({nullptr, 0, size, 1, "", std::move(text)});
}

std::size_t BatchOutput::most_files() const {
  const std::size_t spool = spool_ ? 1 : 0;
  return queue_.size() + 2 * std::min(held_.size(), most_held_jobs()) + spool;
}

void BatchOutput::close() {
  for (auto& [seq, pieces] : held_) {
    for (Piece& piece : pieces) queue_.push_back(std::move(piece));
  }
  held_.clear();
}

/// Moves the pieces to a single file shared by many jobs.
BatchOutput::Pieces BatchOutput::spooled(Pieces pieces) {
  try {
    if (!spool_) spool_ = NamelessFiles().make();
  } catch (const TooManyOpenFiles&) {
    return pieces;  // They keep their own files.
  }
  for (Piece& piece : pieces) {
    const std::uint64_t start = spool_->size();
    while (piece.at < piece.end) {
      const std::string chunk = read_at(piece.file->descriptor(), piece.at, kOutputChunk);
      if (chunk.empty()) break;
      const ssize_t put = write(spool_->descriptor(), chunk.data(), chunk.size());
      if (put <= 0) {
        throw std::runtime_error(
            errno_text("cannot store the output of a job in a temporary file"));
      }
      piece.at += static_cast<std::uint64_t>(put);
    }
    piece.file = spool_;
    piece.at = start;
    piece.end = spool_->size();
  }
  return pieces;
}

void BatchOutput::release_in_order() {
  while (!held_.empty() && held_.begin()->first <= next_) {
    auto first = held_.extract(held_.begin());
    for (Piece& piece : first.mapped()) queue_.push_back(std::move(piece));
    next_ = std::max(next_, first.key() + 1);
  }
  // The spool file disappears with the last piece in it.
  if (held_.empty()) spool_.reset();
}

std::string BatchOutput::tagged(const std::string& chunk, const std::string& tag) {
  std::string text;
  for (const char c : chunk) {
    if (at_line_start_) text += tag + "\t";
    text += c;
    at_line_start_ = c == '\n';
  }
  return text;
}

/// Reads the next chunk into the buffer if that is empty; false if there is none.
bool BatchOutput::refill() {
  while (buffer_.empty() && !queue_.empty()) read_on();
  return !buffer_.empty();
}

/// Appends the next chunk of the first piece to the buffer.
void BatchOutput::read_on() {
  Piece& piece = queue_.front();
  target_ = piece.target;
  has_rest_ = false;
  if (!piece.file) {
    buffer_ += piece.text;
    return queue_.pop_front();
  }
  const std::uint64_t left = piece.end - piece.at;
  const std::string chunk =
      read_at(piece.file->descriptor(), piece.at, std::min<std::uint64_t>(left, kOutputChunk));
  piece.at += chunk.size();
  buffer_ += lines_ == Lines::tagged ? tagged(chunk, piece.tag) : chunk;
  has_rest_ = !chunk.empty() && piece.at < piece.end;
  if (has_rest_) return;
  // The next tag, even that of another stream on the same terminal, must start a line.
  if (!std::exchange(at_line_start_, true)) buffer_ += '\n';
  queue_.pop_front();
}

bool BatchOutput::write_some(std::size_t most) {
  const ssize_t put = write(target_, buffer_.data(), std::min(most, buffer_.size()));
  if (put < 0) {
    error_ = errno;
    return error_ == EINTR || error_ == EAGAIN;
  }
  buffer_.erase(0, static_cast<std::size_t>(put));
  return true;
}

/// From the buffer at most `most` bytes: whole lines, or a part of a longer line.
std::string BatchOutput::take_lines(std::size_t most) {
  if (has_rest_ && buffer_.size() < most) read_on();
  const std::size_t end = buffer_.rfind('\n', most - 1);
  const std::size_t size = end == std::string::npos ? std::min(most, buffer_.size()) : end + 1;
  std::string text = buffer_.substr(0, size);
  buffer_.erase(0, size);
  const bool is_piece_over = buffer_.empty() && !has_rest_;
  if (is_piece_over && !text.ends_with('\n')) text += '\n';
  return text;
}

bool BatchOutput::write_above(LiveScreen& screen) {
  screen.pass(take_lines(screen.space()));
  error_ = screen.writer().error();
  return error_ == 0;
}

bool BatchOutput::pump(LiveScreen* screen) {
  while (refill()) {
    if (screen) screen->writer().pump();
    const bool is_shared = screen && screen->is_also(target_);
    if (!takes_more(target_) || (is_shared && !screen->writer().idle())) return true;
    if (screen && !is_shared && !is_file(target_)) screen->hide();
    if (!(is_shared ? write_above(*screen) : write_some(taken_at_once(target_)))) return false;
  }
  return true;
}

}  // namespace sluice::cli
