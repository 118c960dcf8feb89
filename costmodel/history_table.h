#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "costmodel/history.h"
#include "costmodel/sqlite.h"

namespace sluice {

/// The samples as they are kept in one database; used by one thread at a time. Everything throws
/// SqliteError; a database of a newer version throws std::runtime_error.
class HistoryTable {
 public:
  explicit HistoryTable(const std::string& path);

  std::vector<Sample> load();  ///< Oldest first.
  /// Adds samples in one transaction, which keeps the bounds as well, and tells what others have
  /// added since `load` or the last call.
  std::vector<Sample> exchange(const std::vector<Sample>& samples);
  void forget(std::string_view key);

 private:
  struct Writing;

  void prepare();
  std::vector<Sample> read_since(std::int64_t last);
  std::vector<Sample> exchange_at_once(const std::vector<Sample>& samples);
  void add(Writing& writing, const Sample& sample);

  SqliteDatabase database_;
  std::int64_t seen_ = 0;  ///< The newest row that `load` or `exchange` knew.
};

}  // namespace sluice
