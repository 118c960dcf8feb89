#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "costmodel/sample.h"
#include "costmodel/user_runs.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

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

/// More than any machine has.
inline constexpr Bytes kAnyMemory{std::uint64_t{1} << 62};

/// A program is heavy if at least half of its last runs held this much or more.
inline constexpr Bytes kHeavyMemory{std::uint64_t{64} << 20};
inline constexpr std::size_t kMostHeavyPrograms = 1000;

/// The last runs of each key, and predictions from them (costmodel/predict.h). Runs are filed by
/// user, see `JobRequest::user`; a user's own reports affect predictions for that user only.
/// Thread-safe.
class History {
 public:
  /// `store` may be null: then nothing outlives this object. Never called with a lock held.
  /// `machine`: its memory; a run reported to have held more is not recorded.
  History(CostOptions cost, ReservationOptions reservation, std::shared_ptr<SampleStore> store,
          Bytes machine = kAnyMemory);

  void configure(CostOptions cost, ReservationOptions reservation);

  /// Records a finished run. Cancelled runs teach only what they had needed so far, runs with an
  /// unknown end nothing. A sample without a key counts for its program only and is not stored.
  void learn(Sample sample);

  /// Applies the changes of others to the store and has it check again. Call this about once a
  /// second if `learn` may not be called for long.
  void refresh();

  /// Where runs are stored; without a path if they are in memory only.
  StorePlace place() const { return store_ ? store_->place() : StorePlace{}; }

  /// A running job counts as a sample of "at least this much so far": short jobs finish first and
  /// would bias every estimate downwards. `run` identifies it until `ended` is called.
  void running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far);
  void ended(std::uint64_t run);

  /// Uses the first rung of the ladder with enough runs: key (one run), program, everything (three
  /// each), prior. On each rung it takes the first of these with enough runs: the job's user; user
  /// `""`; the median of all other users, counting only what the governor itself measured of their
  /// jobs. Does not allocate once the rung has been queried before.
  Prediction predict(const JobRequest& job) const;
  /// The number of runs that a prediction of the job would use; 0 for the prior.
  std::size_t runs_behind(const JobRequest& job) const;

  /// Heavy programs by the user's runs, or where it has none of a program by those of user `""`; in
  /// order, at most `kMostHeavyPrograms`.
  std::vector<std::string> heavy_programs(std::string_view user) const;

  /// A summary of one key, for people.
  struct Summary {
    std::string user, key, program;
    std::size_t samples = 0;
    std::int64_t last_ended = 0;
    double cores = 0;
    double memory_mean = 0, memory_deviation = 0, memory_p95 = 0;  ///< bytes
    Duration duration{0};
    std::map<Outcome, std::size_t> outcomes;
    Prediction next;  ///< Prediction for its next run.
  };
  std::vector<Summary> summaries() const;  ///< By key, then by user.
  /// One user's samples; oldest first.
  std::vector<Sample> samples(std::string_view key, std::string_view user = "") const;
  bool forget(const SampleFilter& which);  ///< False if nothing matched.

 private:
  void apply(const StoreNews& news);
  Summary summary_of(std::string_view user, const std::string& key, const RunGroup& group) const;

  mutable std::mutex mutex_;
  CostOptions cost_;
  ReservationOptions reservation_;
  const std::shared_ptr<SampleStore> store_;
  RunsByUser runs_;
};

/// The history as a cost model.
CostModel history_model(std::shared_ptr<const History> history);

}  // namespace sluice
