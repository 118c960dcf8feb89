#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice {

/// What ended a lease: the client's request, its process, its connection, its silence, the end of
/// the daemon, or (`refused`) whatever ended the wait of a pending job: a rule, or a job it comes
/// after.
enum class LeaseEnd { finish, process, connection, deadline, stop, refused };

inline constexpr std::size_t kLeaseEnds = 6;

std::string_view to_string(LeaseEnd end);

/// What a lease depends on, besides the client's request to end it.
struct LeaseTerms {
  std::optional<http::ConnectionId> connection;
  std::optional<pid_t> process;
  std::optional<Duration> heartbeat;  ///< Longest silence.
};

/// Longest silence of a client whose lease depends on nothing else.
inline constexpr Duration kDefaultHeartbeat = std::chrono::minutes(10);

/// Tracks when each job's lease ends. Pure bookkeeping: the caller passes `now` and ends the leases
/// that are due. Not thread-safe.
class Leases {
 public:
  /// The job must have no lease. Terms that name nothing get `kDefaultHeartbeat`.
  void begin(JobId job, LeaseTerms terms, TimePoint now);

  /// The same for a lease that began under a previous daemon and still holds. `deadline` counts if
  /// the terms name a heartbeat.
  void resume(JobId job, LeaseTerms terms, TimePoint deadline);

  /// Takes a sign of life: resets the deadline, if there is one. False if the lease has ended.
  bool renew(JobId job, TimePoint now);

  /// True for the first end of a lease, which is counted under its cause; false afterwards.
  bool end(JobId job, LeaseEnd cause);

  /// Jobs whose lease depends on the connection, in order of arrival.
  std::vector<JobId> of_connection(http::ConnectionId connection) const;
  bool holds(http::ConnectionId connection) const { return by_connection_.contains(connection); }

  /// Jobs whose lease depends on the process, in order of arrival.
  std::vector<JobId> of_process(pid_t process) const;
  bool any_hangs_on_a_process() const { return !by_process_.empty(); }

  /// Jobs whose deadline has passed, earliest first.
  std::vector<JobId> due(TimePoint now) const;
  std::optional<TimePoint> next_deadline() const;

  /// nullptr if the lease has ended.
  const LeaseTerms* terms(JobId job) const;
  std::optional<TimePoint> deadline(JobId job) const;

  std::size_t size() const { return leases_.size(); }
  /// Ends since the start, indexed by `LeaseEnd`.
  const std::array<std::uint64_t, kLeaseEnds>& ended() const { return ended_; }

 private:
  struct Lease {
    LeaseTerms terms;
    std::optional<TimePoint> deadline;
  };

  std::unordered_map<std::uint64_t, Lease> leases_;
  std::set<std::pair<TimePoint, JobId>> deadlines_;
  std::map<http::ConnectionId, std::set<JobId>> by_connection_;
  std::unordered_map<pid_t, std::set<JobId>> by_process_;
  std::array<std::uint64_t, kLeaseEnds> ended_{};
};

}  // namespace sluice
