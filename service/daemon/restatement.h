#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/entry.h"
#include "record/recorder.h"
#include "service/jobs/job_record.h"
#include "service/jobs/known_jobs.h"
#include "sluice/queueing.h"
#include "sluice/status.h"
#include "sluice/units.h"

// What the record of decisions tells again, because a reader may have lost what it told before.

namespace sluice {

/// The most jobs that are told again at once.
inline constexpr std::size_t kMostRestated = 4096;

/// The numbers of those that wait or run; nullopt if they are too many for an entry.
std::optional<std::vector<JobId>> numbers_of_unended(const KnownJobs::Records& jobs);

/// Those of the API that wait or run and whose starts and ends are recorded, and all that were
/// fetched.
struct LiveJobs {
  std::vector<const JobRecord*> first;  ///< Up to `kMostRestated`: those that run, by number, then
                                        ///< those that wait, by number.
  std::size_t all = 0;
};
LiveJobs live_jobs(const KnownJobs::Records& jobs, const std::map<JobId, JobRecord>& fetched);

/// The bytes that all jobs that are told again may take together, in a record of this size.
std::uint64_t room_for_restated(Bytes record);

/// What is told again, and the reasons why many jobs wait, leave as much of the recorder's room to
/// what is new: it must not overrun, for a gap has everything told again.
inline constexpr std::size_t kRoomForNews = record::kBlockContents / 4;
/// Whether the recorder has room for this many bytes beside that. The recording thread calls this.
bool has_room(const record::Recorder& recorder, std::uint64_t bytes);

/// The sensor as it is now.
record::SensorVerdict verdict_entry(const SensorStatus& sensor);

/// The queues that the configuration pauses.
std::set<std::string> paused_queues(const QueueingOptions& options);

/// All that is told beside the jobs: the sensors that are red, and what operators have set beside
/// the configuration, which pauses the queues `configured`. Pure.
record::Restated told_beside_jobs(const Status& status, const std::set<std::string>& configured);

/// Tells the jobs again as far as they take up to `room` bytes, and then `all`, completed by how
/// many they are. `kept_for`: the memory kept for a running job.
void restate_all(record::Recorder& recorder, TimePoint now, const LiveJobs& jobs,
                 record::Restated all, const std::function<Bytes(const JobRecord&)>& kept_for,
                 std::uint64_t room);

}  // namespace sluice
