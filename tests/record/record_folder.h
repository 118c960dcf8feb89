#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "record/folder.h"
#include "sample_entries.h"

namespace sluice::record::testing {

/// A temporary folder, removed at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/sluice-record-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// All entries of a record but those with which segments start.
inline std::vector<Timed> entries_in(const std::string& path) {
  std::vector<Timed> entries;
  const auto folder = RecordFolder::open_to_read(path);
  if (folder.index() != 0) return entries;
  read_record(std::get<RecordFolder>(folder), [&](const Dated& each) {
    if (std::holds_alternative<SegmentStart>(each.entry)) return;
    entries.push_back({each.at, each.entry});
  });
  return entries;
}

inline std::vector<SegmentFile> segments_in(const std::string& path) {
  return std::get<RecordFolder>(RecordFolder::open_to_read(path)).segments();
}

}  // namespace sluice::record::testing
