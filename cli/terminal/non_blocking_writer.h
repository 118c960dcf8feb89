#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

/// Whether a write of PIPE_BUF bytes would not block, be it because it fails. Never waits.
bool takes_more(int descriptor);

/// Text for people on a descriptor whose reader may be slow, stopped or gone and must not delay the
/// supervision of jobs: text that the reader does not take at once is buffered. Beyond 1 MiB, new
/// text is dropped, and a note says how much.
class NonBlockingWriter {
 public:
  explicit NonBlockingWriter(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view text);
  /// Writes as much as possible without blocking.
  void pump();

  bool idle() const { return kept_.empty(); }
  /// errno of the last failed write; 0 if none failed.
  int error() const { return error_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string kept_;
  std::size_t dropped_ = 0;  ///< Bytes.
  int error_ = 0;
};

}  // namespace sluice::cli
