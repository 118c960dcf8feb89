#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "governor/books/admission_snapshot.h"
#include "governor/eligibility.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"
#include "sluice/status.h"

namespace sluice {

/// Refuses jobs without the governor's mutex, from the snapshot that was published last: a busy
/// governor is asked far more often than it changes. `try_refuse` is thread-safe and never blocks
/// (but for the cost model); call all others with the governor's mutex held.
class LockFreeRefusal {
 public:
  /// `cost_model` must be thread-safe. Callers that are inside the one before may stay there.
  void configure(const GovernorOptions& options, CostModel cost_model);

  /// A copy of a sensor's name that lives as long as this. Names beyond the first
  /// `AdmissionSnapshot::kMostNames` are not published: jobs are then not refused here.
  std::string_view intern(std::string_view name);

  /// `all_cpus`: see `points_of_all_cpus`; `first`: the job that goes first, if any waits;
  /// `closed`: why every job is refused, if so.
  void publish(Points usage, Points size, std::optional<Points> all_cpus,
               const std::optional<Front>& first, const std::optional<Refusal>& closed);

  /// Sets `refusal`, which is a new one, and counts it. False: the governor has to decide, and
  /// `refusal` means nothing.
  bool try_refuse(const JobRequest& job, Refusal& refusal);

  /// Whether a job was refused for the window since the last call.
  bool take_refused_for_window() { return refused_for_window_.exchange(false); }
  /// Adds the refusals counted here.
  void add_to(Counters& counters) const;

 private:
  bool refuse(const JobRequest& job, Refusal& refusal);
  Prediction predict(const JobRequest& job);

  /// What callers write is kept off the cache lines that all of them read.
  static constexpr std::size_t kCacheLine = 64;

  // With the mutex held:
  std::deque<std::string> interned_;
  std::deque<CostModel> cost_models_;  ///< The current one; callers may be inside older ones.
  std::uint16_t names_used_ = 1;

  // Read without it:
  std::atomic<std::uint64_t> snapshot_{0};
  std::atomic<const CostModel*> cost_model_{nullptr};
  std::atomic<std::int64_t> maximum_{0};
  std::atomic<std::int64_t> all_cpus_{0};  ///< In points; 0: they bound no cost.
  std::atomic<bool> has_keys_{false};
  std::atomic<bool> lets_sleepers_pass_{false};  ///< Under `law: knee`.
  std::atomic<int> first_priority_{0};
  std::atomic<std::uint64_t> first_id_{0};
  /// Written once each, then published.
  std::array<std::string_view, AdmissionSnapshot::kMostNames> names_;

  // Written without it:
  /// Callers that may be inside.
  alignas(kCacheLine) std::atomic<int> inside_cost_model_{0};
  std::array<std::atomic<std::uint64_t>, kRefusalCodes> refused_{};
  std::atomic<bool> refused_for_window_{false};
};

}  // namespace sluice
