#pragma once

#include <cstdio>
#include <string>

#include "base/non_copyable.h"

namespace sluice::cli {

/// $TMPDIR, or the system's folder if that is no folder.
std::string temporary_folder();

/// A file or standard output, written in large pieces.
class OutputFile : NonCopyable {
 public:
  /// An empty path means standard output. Throws std::runtime_error if the file cannot be opened.
  explicit OutputFile(const std::string& path);
  ~OutputFile();

  /// Append the next output here.
  std::string& buffer() { return buffer_; }
  void keep_short();
  /// Throws std::runtime_error if not everything could be written.
  void close();

 private:
  void write_out();
  [[noreturn]] void fail() const;

  const std::string path_;
  std::FILE* file_;
  std::string buffer_;
};

}  // namespace sluice::cli
