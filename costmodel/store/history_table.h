#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/sqlite/sqlite.h"
#include "costmodel/history.h"

namespace sluice {

/// Whether the filter selects the sample.
bool matches(const SampleFilter& which, const Sample& sample);

/// The samples in one database; for one thread at a time. Everything throws SqliteError; a database
/// of a newer version throws std::runtime_error.
class HistoryTable {
 public:
  /// Migrates a database of an older version and keeps the original file as PATH.schema-VERSION.
  /// Samples of version 1 become those of user `""`.
  explicit HistoryTable(const std::string& path);

  std::vector<Sample> load();  ///< Oldest first.
  /// Adds samples and enforces the limits in one transaction; returns the changes of others since
  /// `load` or the last call. Samples that others have meanwhile forgotten are not added.
  StoreNews exchange(const std::vector<Sample>& samples);
  /// Whether others have written since the last call; true on the first call.
  bool others_wrote();
  std::vector<ForgottenKey> forget(const SampleFilter& which);

 private:
  struct Writing;

  void prepare();
  bool has(const char* what);
  bool is_current(int version);
  void back_up(int version);
  std::vector<Sample> read_since(std::int64_t last);
  std::vector<SampleFilter> read_forgotten();
  StoreNews exchange_at_once(const std::vector<Sample>& samples);
  /// Whether the sample's key is a new one.
  bool add(Writing& writing, const Sample& sample);

  const std::string path_;
  SqliteDatabase database_;
  std::int64_t seen_ = 0;            ///< The newest row that `load` or `exchange` read.
  std::int64_t forgotten_seen_ = 0;  ///< The same for deletions.
  std::int64_t data_version_ = 0;
};

}  // namespace sluice
