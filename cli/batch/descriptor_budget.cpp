#include "cli/batch/descriptor_budget.h"

#include <algorithm>

#include "base/process_list.h"

namespace sluice::cli {
namespace {

constexpr std::uint64_t kFilesOfOutput = 2;
constexpr std::uint64_t kFilesOfGroup = 6;

/// Open for a moment: for the start of a job, and for sensors that are read in other threads.
constexpr std::uint64_t kPassing = 32;

/// Lists of processes that keep files of /proc open: of the sensors, and of the jobs' measurement.
constexpr std::uint64_t kProcessLists = 2;

}  // namespace

std::size_t DescriptorBudget::most_jobs(std::size_t files) const {
  const std::uint64_t kept = kPassing + kProcessLists * most_kept_processes(limit_);
  const std::uint64_t taken = others_ + kept + files;
  return std::max<std::size_t>(1, (limit_ - std::min(limit_, taken)) / each_);
}

std::uint64_t descriptors_of_job(const BatchSettings& settings) {
  const bool has_files = settings.passing != BatchSettings::Passing::ungrouped;
  const bool has_group = settings.groups != Runner::Groups::off;
  return 1 + (has_files ? kFilesOfOutput : 0) + (has_group ? kFilesOfGroup : 0);
}

std::string DescriptorBudget::sentence() const {
  return "no more jobs start until others end: they would need more open files than the hard "
         "limit of " +
         std::to_string(limit_) + " (ulimit -Hn)";
}

}  // namespace sluice::cli
