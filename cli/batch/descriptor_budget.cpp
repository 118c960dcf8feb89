#include "cli/batch/descriptor_budget.h"

#include <algorithm>

#include "base/process_list.h"

namespace sluice::cli {
namespace {

/// Of a job: two files of output, up to six files of its cgroup, and a connection to a daemon.
constexpr std::uint64_t kEachJob = 9;

/// Open for a moment: for the start of a job, and for sensors that are read in other threads.
constexpr std::uint64_t kPassing = 32;

/// Lists of processes that keep files of /proc open: of the sensors, and of the jobs' measurement.
constexpr std::uint64_t kProcessLists = 2;

}  // namespace

std::size_t DescriptorBudget::most_jobs(std::size_t files) const {
  const std::uint64_t kept = kPassing + kProcessLists * most_kept_processes(limit_);
  const std::uint64_t taken = others_ + kept + files;
  return std::max<std::size_t>(1, (limit_ - std::min(limit_, taken)) / kEachJob);
}

std::string DescriptorBudget::sentence() const {
  return "no more jobs start until others end: they would need more open files than the hard "
         "limit of " +
         std::to_string(limit_) + " (ulimit -Hn)";
}

}  // namespace sluice::cli
