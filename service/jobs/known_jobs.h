#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "service/jobs/job_record.h"
#include "service/protocol/api_error.h"
#include "service/protocol/declared_size.h"

namespace sluice {

/// Ended jobs to remember, for clients that missed an answer.
inline constexpr std::size_t kRememberedJobs = 1024;

/// Ended jobs to remember after a load peak: each lies among memory that the others held, and pins
/// a page of it.
inline constexpr std::size_t kRememberedAfterCrowd = 64;

/// The jobs that came over the API, by number and by the client's id: all that have not ended, and
/// the ended ones that are remembered. Limits what they declare. Not thread-safe.
class KnownJobs {
 public:
  using Records = std::unordered_map<std::uint64_t, JobRecord>;

  /// `most_declared`: the most that all jobs together may declare; `most_counted`: the most that
  /// they may count by `counted_bytes`.
  KnownJobs(std::size_t most_declared, std::size_t most_counted)
      : most_declared_(most_declared), most_counted_(most_counted) {}

  /// `id`: the client's, may be empty; `declared` is counted whatever the limit is.
  JobRecord& add(JobId number, std::string id, const DeclaredSize& declared);

  /// Finds a job by the client's id, or by number; nullptr if there is none.
  const JobRecord* find(std::string_view id) const;
  const JobRecord* find(JobId number) const;
  JobRecord* find(JobId number);
  /// A job that is known.
  JobRecord& at(JobId number) { return jobs_.at(number.value); }
  /// The client's id, or else the number.
  std::string name_of(JobId number) const;

  /// By number, in no order.
  const Records& all() const { return jobs_; }
  Records& all() { return jobs_; }

  /// Forgets ended jobs to make room for `jobs` more that declare `size` in total; returns why they
  /// are not accepted.
  std::optional<ApiError> make_room(const DeclaredSize& size, std::size_t jobs);
  /// The same for a change that declares this much, which needs room only for what `count_change`
  /// would add. One that adds nothing is accepted even if there is no room: an operator's relief.
  std::optional<ApiError> make_room_for_change(const JobRecord& job, const DeclaredSize& size);
  /// Counts a change that declares this much: only the most that changes of a job declare counts.
  void count_change(JobRecord& job, const DeclaredSize& size);
  /// From now on the job may be forgotten; forgets the oldest ones above `kRememberedJobs`.
  void note_end(JobId number);
  void forget_all_but(std::size_t ended);

 private:
  bool has_room(const DeclaredSize& size, std::size_t jobs) const;
  void forget_oldest();

  const std::size_t most_declared_, most_counted_;
  Records jobs_;
  std::unordered_map<std::string, JobId> by_id_;
  std::deque<JobId> ended_;
  DeclaredSize declared_;
};

}  // namespace sluice
