#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "costmodel/history.h"
#include "costmodel/sqlite.h"

namespace sluice {

/// The samples as they are kept in one database; used by one thread at a time. Everything throws
/// SqliteError; a database of a newer version throws std::runtime_error.
class HistoryTable {
 public:
  /// What an older version wrote is taken over: its samples become those of the user `""`, and the
  /// file as it was is kept as PATH.schema-1.
  explicit HistoryTable(const std::string& path);

  std::vector<Sample> load();  ///< Oldest first.
  /// Adds samples in one transaction, which keeps the bounds as well, and tells what others have
  /// done since `load` or the last call.
  StoreNews exchange(const std::vector<Sample>& samples);
  /// Whether others have written since the last call; true at the first call.
  bool others_wrote();
  std::vector<ForgottenKey> forget(const SampleFilter& which);

 private:
  struct Writing;

  void prepare();
  bool has_variants();
  bool has_forgotten();
  void back_up(int version);
  std::vector<Sample> read_since(std::int64_t last);
  std::vector<SampleFilter> read_forgotten();
  StoreNews exchange_at_once(const std::vector<Sample>& samples);
  void add(Writing& writing, const Sample& sample);

  const std::string path_;
  SqliteDatabase database_;
  std::int64_t seen_ = 0;            ///< The newest row that `load` or `exchange` knew.
  std::int64_t forgotten_seen_ = 0;  ///< Likewise of what was forgotten.
  std::int64_t data_version_ = 0;
};

}  // namespace sluice
