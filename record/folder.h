#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptors.h"
#include "record/segment.h"

namespace sluice::record {

/// The name of the record's folder below the daemon's state folder.
inline constexpr const char* kFolderName = "record";
/// The name of the folder of calls below it, which is a record of its own.
inline constexpr const char* kCallsName = "calls";

/// How `open_to_write` ends its problem if another process writes.
inline constexpr const char* kHeldByAnother = " is in use: another daemon records there";

struct SegmentFile {
  std::uint64_t number = 0;  ///< Later ones have larger numbers.
  std::uint64_t bytes = 0;
  WallTime modified;
};

/// The folder of a record, held open: mode 0700, its files 0600. No link is followed below it.
class RecordFolder {
 public:
  /// Makes the folder if there is none, and locks it: one process writes at a time. Returns the
  /// problem if it cannot.
  static std::variant<RecordFolder, std::string> open_to_write(const std::string& path);
  static std::variant<RecordFolder, std::string> open_to_read(const std::string& path);

  const std::string& path() const { return path_; }
  std::string path_of(std::uint64_t number) const;

  std::vector<SegmentFile> segments() const;  ///< Oldest first.
  /// A new file, open for writing, which is no segment before `publish`; or the problem.
  std::variant<Descriptor, std::string> create(std::uint64_t number) const;
  /// Makes the file that `create` returned a segment. Returns the problem if it cannot.
  std::optional<std::string> publish(std::uint64_t number) const;
  /// Puts other contents in the place of a segment's, at once for readers; it stays as old as it
  /// is. Returns the problem if it cannot: then nothing has changed.
  std::optional<std::string> replace(const SegmentFile& segment, std::string_view contents) const;
  /// Removes a file that `create` returned, before `publish`.
  void discard(std::uint64_t number) const;
  void remove(std::uint64_t number) const;
  /// The contents from byte `from` on; or the problem. At most 64 MiB: no segment has more.
  std::variant<std::string, std::string> read(std::uint64_t number, std::uint64_t from = 0) const;

 private:
  RecordFolder(std::string path, Descriptor folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  Descriptor folder_, lock_;
};

/// A segment as read.
struct ReadSegment {
  SegmentFile file;
  SegmentSummary summary;
};

/// Which segments are missing between these numbers: "segment 2 is missing"; empty if none is.
std::string missing_between(std::uint64_t before, std::uint64_t number);

/// Reads one segment. One that cannot be read has a problem instead of entries.
ReadSegment read_one(const RecordFolder& folder, const SegmentFile& file, const OnEntry& each);

/// Reads a whole record, oldest entries first.
std::vector<ReadSegment> read_record(const RecordFolder& folder, const OnEntry& each);

}  // namespace sluice::record
