#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

namespace sluice {

/// One run of a job, as it is remembered.
struct Sample {
  std::string key;
  std::string program;
  std::int64_t ended = 0;  ///< Seconds since 1970.
  Outcome outcome = Outcome::ok;
  double busy_cores = 0;  ///< See `JobUsage::busy_cores`.
  Bytes peak_memory;      ///< Of a job killed for memory: at least 1.5 x what was kept for it.
  Duration wall{0};
};

/// What is remembered of a run that ended. `used`: all of it; `reserved`: the memory that was kept
/// for it, 0 if none; `ended`: seconds since 1970.
Sample sample_of(const JobRequest& job, const JobUsage& used, Outcome outcome, Bytes reserved,
                 std::int64_t ended);

/// Bounds of what is remembered. Of the keys, those that ran longest ago go first.
inline constexpr std::size_t kSamplesPerKey = 50;
inline constexpr std::size_t kMostKeys = 10'000;

/// Where samples outlive the process. Must not throw nor block for long, and must be thread-safe;
/// what it cannot keep it says.
class SampleStore {
 public:
  virtual ~SampleStore() = default;
  virtual std::vector<Sample> load() = 0;  ///< Oldest first.
  virtual void add(const Sample& sample) = 0;
  virtual void forget(std::string_view key) = 0;
  /// What others have added to the same place since `load` or the last call; oldest first.
  virtual std::vector<Sample> news() { return {}; }
};

/// What runs of jobs taught: the last runs of each key, and predictions from them. Thread-safe.
class History {
 public:
  /// `store` may be null: nothing outlives this object then. Never called with a lock held.
  History(CostOptions cost, ReservationOptions reservation, std::shared_ptr<SampleStore> store);

  ~History();

  void configure(CostOptions cost, ReservationOptions reservation);

  /// A run that ended. Runs that were cancelled teach nothing but what they had needed so far.
  /// A sample without a key counts for its program alone, and is
  /// not kept in the store.
  void learn(Sample sample);

  /// A job that runs counts as a sample that says "at least this much, so far": short jobs finish
  /// first and would bias every estimate down. `run` names it until `ended` is called with it.
  void running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far);
  void ended(std::uint64_t run);

  /// By the first rung of the ladder that can answer: key (from one run on), program, everything
  /// (from three), prior. Takes no memory from the heap once the rung has been asked before.
  Prediction predict(const JobRequest& job) const;

  /// What is known of one key, for people.
  struct Summary {
    std::string key, program;
    std::size_t samples = 0;
    std::int64_t last_ended = 0;
    double cores = 0;
    double memory_mean = 0, memory_deviation = 0, memory_p95 = 0;  ///< bytes
    Duration duration{0};
    std::map<Outcome, std::size_t> outcomes;
    Prediction next;  ///< What the next run of it is expected to need.
  };
  std::vector<Summary> summaries() const;                   ///< By key.
  std::vector<Sample> samples(std::string_view key) const;  ///< Oldest first.
  bool forget(std::string_view key);                        ///< False: nothing was known of it.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The history as a cost model.
CostModel history_model(std::shared_ptr<const History> history);

}  // namespace sluice
