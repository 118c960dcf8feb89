#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptors.h"
#include "base/text.h"
#include "sensors/files/result.h"

namespace sluice {

struct ExecutorGroup;

/// Location of the host's /proc and /sys. Empty for the real host; tests pass the folder that
/// contains them.
struct HostPaths {
  std::string root;
  /// The group to judge instead of this process's own; null: this process's own.
  std::shared_ptr<const ExecutorGroup> executor = nullptr;
  std::string process = "self";  ///< Whose own group it is, as a folder of /proc.

  std::string at(std::string_view absolute) const { return root + std::string(absolute); }
};

/// Most bytes to read from a kernel file.
inline constexpr std::size_t kMostFileBytes = std::size_t{64} << 10;

/// A file that is read repeatedly and kept open in between: a tenth of the cost of reopening it.
/// Only for kernel files, whose content is generated on each read; a file replaced by renaming
/// would stay the old one. Not thread-safe.
class KeptFile {
 public:
  /// What the kernel generates: one record, given whole if the buffer is large enough, so that a
  /// short read is the end; or several, of which each read gives some: of at most a KiB, or of any
  /// length.
  enum class Content { records, short_records, one_record };

  explicit KeptFile(std::string path, std::size_t most = kMostFileBytes,
                    Content content = Content::records)
      : path_(std::move(path)), most_(most), content_(content) {}

  /// The whole current content, valid until the next call. Opens the file if needed, and reopens it
  /// if it no longer exists. Fails for a file above `most` bytes. Failures name the path and the
  /// errno.
  Result<std::string_view> read();

  /// Whether the last read failed because the file does not exist.
  bool is_absent() const { return absent_; }

  const std::string& path() const { return path_; }

 private:
  bool open_it();
  /// Bytes read, or minus errno.
  long fill();
  ReadFailure failure(int error);

  std::string path_;
  std::size_t most_;
  Content content_ = Content::records;
  std::string buffer_;
  Descriptor descriptor_;
  bool absent_ = false;
};

/// Reads a file once, completely; a failure names it. Resolves the path on each call.
Result<std::string> read_once(const std::string& path, std::size_t most = kMostFileBytes);

/// The content as `parse` returns it, which must not refer to its text. A failure, to read or to
/// parse it, names the file.
template <typename Parse>
auto read_parsed(KeptFile& file, Parse parse) -> decltype(parse(std::string_view())) {
  const auto text = file.read();
  if (!value_in(text)) return failure_in(text);
  auto value = parse(*value_in(text));
  if (!value_in(value)) return about(printable(file.path()), failure_in(value));
  return value;
}

/// The same for a file that is read once.
template <typename Parse>
auto read_parsed(const std::string& path, Parse parse, std::size_t most = kMostFileBytes) {
  KeptFile file(path, most);
  return read_parsed(file, parse);
}

/// The text of an errno.
std::string error_text(int error);

}  // namespace sluice
