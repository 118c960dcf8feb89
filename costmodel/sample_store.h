#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "costmodel/sample.h"

namespace sluice {

/// Deleted runs of one key.
struct ForgottenKey {
  std::string user, key;
  std::size_t runs = 0;
};

/// Changes by others to a store: first `forgotten` was deleted, then `added` was added, oldest
/// first.
struct StoreNews {
  std::vector<SampleFilter> forgotten;
  std::vector<Sample> added;
};

/// Where samples are stored.
struct StorePlace {
  std::string path;                    ///< Empty if nowhere.
  std::optional<std::string> failing;  ///< Why they cannot be, at the moment.
};

/// Persistent storage of samples. Must not throw or block for long, and must be thread-safe;
/// reports what it cannot store.
class SampleStore {
 public:
  virtual ~SampleStore() = default;
  virtual std::vector<Sample> load() = 0;  ///< Oldest first.
  virtual void add(const Sample& sample) = 0;
  /// Deletes samples and returns what there was.
  virtual std::vector<ForgottenKey> forget(const SampleFilter& which) = 0;
  /// Changes by others to the same storage since `load` or the last call, as far as they were read:
  /// whenever a sample was written, and soon after `poll`.
  virtual StoreNews news() { return {}; }
  virtual void poll() {}
  virtual StorePlace place() const { return {}; }
};

}  // namespace sluice
