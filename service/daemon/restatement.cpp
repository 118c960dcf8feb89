#include "service/daemon/restatement.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "record/codec.h"
#include "service/daemon/job_entries.h"

namespace sluice {
namespace {

/// A reader takes no longer list.
constexpr std::size_t kMostNumbers = 10000;

/// Jobs that are told again take up to half of a segment of decisions, or of the room for them: the
/// next segment begins by what is new.
constexpr std::uint64_t kRestatedPart = 32;
constexpr std::uint64_t kMostRestatedBytes = record::kBlockContents / 2;

/// The bytes that the entry takes as recorded.
std::size_t bytes_of(const record::Entry& entry) {
  std::string bytes;
  record::append_entry(bytes, {}, {}, entry);
  return bytes.size();
}

}  // namespace

std::optional<std::vector<JobId>> numbers_of_unended(const KnownJobs::Records& jobs) {
  std::vector<JobId> numbers;
  for (const auto& [number, job] : jobs) {
    if (!job.ended_by) numbers.emplace_back(number);
  }
  if (numbers.size() > kMostNumbers) return std::nullopt;
  std::ranges::sort(numbers);
  return numbers;
}

LiveJobs live_jobs(const KnownJobs::Records& jobs, const std::map<JobId, JobRecord>& fetched) {
  std::vector<const JobRecord*> live;
  for (const auto& [number, job] : jobs) {
    if (job.kept && !job.ended_by) live.push_back(&job);
  }
  for (const auto& [number, job] : fetched) live.push_back(&job);
  const std::size_t all = live.size();
  const auto first = live.begin() + static_cast<std::ptrdiff_t>(std::min(all, kMostRestated));
  std::ranges::partial_sort(live, first, {}, [](const JobRecord* each) {
    return std::pair(!each->admitted, each->number);
  });
  live.erase(first, live.end());
  return {std::move(live), all};
}

std::uint64_t room_for_restated(Bytes record) {
  return std::min(record.value / kRestatedPart, kMostRestatedBytes);
}

bool has_room(const record::Recorder& recorder, std::uint64_t bytes) {
  return recorder.room() >= bytes + kRoomForNews;
}

record::SensorVerdict verdict_entry(const SensorStatus& sensor) {
  const std::string said = !sensor.up       ? sensor.failure
                           : sensor.reading ? sensor.reading->sentence
                                            : "";
  return {{sensor.name}, sensor.red, sensor.up, sensor.ignored, {said}};
}

std::set<std::string> paused_queues(const QueueingOptions& options) {
  std::set<std::string> paused;
  for (const auto& [name, queue] : options.queues) {
    if (queue.paused) paused.insert(name);
  }
  return paused;
}

record::Restated told_beside_jobs(const Status& status, const std::set<std::string>& configured) {
  record::Restated all;
  for (const SensorStatus& each : status.sensors) {
    if (each.red) all.red.push_back(verdict_entry(each));
  }
  std::vector<record::Name>& operated = all.operated.emplace();
  if (status.draining || status.paused) {
    operated.push_back({status.draining ? "draining" : "paused"});
  }
  for (const QueueStatus& each : status.queues) {
    if (!each.branch_of.empty() || each.paused == configured.contains(each.name)) continue;
    operated.push_back({"queue " + each.name + (each.paused ? " paused" : " resumed")});
  }
  return all;
}

void restate_all(record::Recorder& recorder, TimePoint now, const LiveJobs& jobs,
                 record::Restated all, const std::function<Bytes(const JobRecord&)>& kept_for,
                 std::uint64_t room) {
  std::uint64_t bytes = 0;
  for (const JobRecord* each : jobs.first) {
    const record::Entry entry = restated_entry(*each, kept_for(*each));
    bytes += bytes_of(entry);
    if (bytes > room) break;
    recorder.record(now, entry);
    ++all.jobs;
  }
  all.left_out = jobs.all - all.jobs;
  recorder.record(now, all);
}

}  // namespace sluice
