#include "service/daemon/restatement.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "record/codec.h"

namespace sluice {
namespace {

/// A reader takes no longer list.
constexpr std::size_t kMostNumbers = 10000;

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

std::size_t bytes_of(const record::Entry& entry) {
  std::string bytes;
  record::append_entry(bytes, {}, {}, entry);
  return bytes.size();
}

}  // namespace sluice
