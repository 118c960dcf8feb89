#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "costmodel/estimate.h"
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
  std::string user = {};  ///< See `JobRequest::user`.
  SeenBy seen_by = SeenBy::client;
  std::string variant = {};  ///< See `JobRequest::variant`.
};

/// What is remembered of a run that ended. `used`: all of it, as `seen_by` tells; `reserved`: the
/// memory that was kept for it, 0 if none; `ended`: seconds since 1970.
Sample sample_of(const JobRequest& job, const JobUsage& used, SeenBy seen_by, Outcome outcome,
                 Bytes reserved, std::int64_t ended);

/// Which samples; what is not given may be anything.
struct SampleFilter {
  std::optional<std::string> user = {}, key = {};
  std::optional<std::int64_t> since = {};  ///< Ended then or later, in seconds since 1970.
};

/// Runs of one key that were forgotten.
struct ForgottenKey {
  std::string user, key;
  std::size_t runs = 0;
};

/// Bounds of what is remembered. The keys of the user `""` are counted by themselves, and those of
/// all others together: nobody drives out what root's jobs taught. Of these, those that ran longest
/// ago go first; of the others', those of the user who has the most.
inline constexpr std::size_t kSamplesPerKey = 50;
inline constexpr std::size_t kMostKeys = 10'000;
/// Users beside `""`; who ran longest ago goes first.
inline constexpr std::size_t kMostUsers = 256;

/// More than any machine has.
inline constexpr Bytes kAnyMemory{std::uint64_t{1} << 62};

/// What others have done to a store: these were forgotten, then those added, oldest first.
struct StoreNews {
  std::vector<SampleFilter> forgotten;
  std::vector<Sample> added;
};

/// Where samples outlive the process. Must not throw nor block for long, and must be thread-safe;
/// what it cannot keep it says.
class SampleStore {
 public:
  virtual ~SampleStore() = default;
  virtual std::vector<Sample> load() = 0;  ///< Oldest first.
  virtual void add(const Sample& sample) = 0;
  /// What of it there was.
  virtual std::vector<ForgottenKey> forget(const SampleFilter& which) = 0;
  /// What others have changed in the same place since `load` or the last call, as far as it was
  /// looked at: when a sample was written, and soon after `look`.
  virtual StoreNews news() { return {}; }
  virtual void look() {}
};

/// What runs of jobs taught: the last runs of each key, and predictions from them. Runs are filed
/// by user, see `JobRequest::user`; what a user reports of its jobs is read for its own alone.
/// Thread-safe.
class History {
 public:
  /// `store` may be null: nothing outlives this object then. Never called with a lock held.
  /// `machine`: its memory; a run that is said to have held more is not remembered.
  History(CostOptions cost, ReservationOptions reservation, std::shared_ptr<SampleStore> store,
          Bytes machine = kAnyMemory);

  ~History();

  void configure(CostOptions cost, ReservationOptions reservation);

  /// A run that ended. Runs that were cancelled teach nothing but what they had needed so far, and
  /// those whose end is unknown nothing at all.
  /// A sample without a key counts for its program alone, and is
  /// not kept in the store.
  void learn(Sample sample);

  /// Takes over what others have done to the store, and asks it to look again. To be called once a
  /// second or so where nothing may be learned for long.
  void refresh();

  /// A job that runs counts as a sample that says "at least this much, so far": short jobs finish
  /// first and would bias every estimate down. `run` names it until `ended` is called with it.
  void running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far);
  void ended(std::uint64_t run);

  /// By the first rung of the ladder that can answer: key (from one run on), program, everything
  /// (from three), prior. On each, the first of these that can: the job's user; the user `""`; of
  /// all others the one in the middle, each by what the governor itself measured of its jobs. Takes
  /// no memory from the heap once the rung has been asked before.
  Prediction predict(const JobRequest& job) const;
  /// The runs that a prediction of the job would rest on; 0: the prior.
  std::size_t runs_behind(const JobRequest& job) const;

  /// What is known of one key, for people.
  struct Summary {
    std::string user, key, program;
    std::size_t samples = 0;
    std::int64_t last_ended = 0;
    double cores = 0;
    double memory_mean = 0, memory_deviation = 0, memory_p95 = 0;  ///< bytes
    Duration duration{0};
    std::map<Outcome, std::size_t> outcomes;
    Prediction next;  ///< What the next run of it is expected to need.
  };
  std::vector<Summary> summaries() const;  ///< By key, then by user.
  /// Of one user; oldest first.
  std::vector<Sample> samples(std::string_view key, std::string_view user = "") const;
  bool forget(const SampleFilter& which);  ///< False: nothing was known of it.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The history as a cost model.
CostModel history_model(std::shared_ptr<const History> history);

}  // namespace sluice
