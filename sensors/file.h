#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "sensors/result.h"

namespace sluice {

struct ExecutorGroup;

/// Where the host's /proc and /sys are found. Empty is the real host; tests give the folder that
/// they are below.
struct HostPaths {
  std::string root;
  /// The group that is judged in place of this process's own; null: this process's own.
  std::shared_ptr<const ExecutorGroup> executor = nullptr;

  std::string at(std::string_view absolute) const { return root + std::string(absolute); }
};

/// The most of a kernel's file that is read.
inline constexpr std::size_t kMostFileBytes = std::size_t{64} << 10;

/// A file that is read again and again, kept open in between: a tenth of the price of opening it
/// each time. Only for files of the kernel, whose content is made when it is read; a file that
/// somebody replaces by renaming would stay the old one. Not thread-safe.
class KeptFile {
 public:
  explicit KeptFile(std::string path, std::size_t most = kMostFileBytes);
  ~KeptFile();
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&& other) noexcept;

  /// The whole content now, valid until the next call. Opens the file where it is not open yet,
  /// and once more where what was opened no longer exists. A file above `most` bytes is a failure.
  /// Failures name the path and the errno.
  Result<std::string_view> read();

  /// Whether the last read failed because no such file exists.
  bool is_absent() const { return absent_; }

  const std::string& path() const { return path_; }

 private:
  bool open_it();
  void close_it();
  /// Bytes read, or minus errno.
  long fill();
  ReadFailure failure(int error);

  std::string path_;
  std::size_t most_;
  std::string buffer_;
  int fd_ = -1;
  bool absent_ = false;
};

/// Reads a file once: all of it, or a failure that names it. Follows what a path means now.
Result<std::string> read_once(const std::string& path, std::size_t most = kMostFileBytes);

/// The text of an errno.
std::string error_text(int error);

}  // namespace sluice
