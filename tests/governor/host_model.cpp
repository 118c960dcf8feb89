#include "host_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sluice::model {
namespace {

constexpr double kSystemPart = 0.04;  ///< Of the memory, for everything except jobs.
constexpr double kLargestPart = 0.45;
constexpr double kSwitchLoss = 0.03;
constexpr double kRefaultsBelow = 0.02;
constexpr double kDeepestStall = 0.9;
constexpr double kEarlyShare = 0.3;
constexpr double kSetupShare = 0.1;
constexpr double kClimbShare = 0.2;  ///< Part of the work during which memory climbs to its peak.

constexpr std::uint64_t kFixedOne = 2048;
constexpr std::uint64_t kDecayOfFiveSeconds = 1884;  ///< 2048 / exp(5 s / 60 s)

struct ModelKind {
  double cores, work_seconds, peak_gib, climb_from;
};
constexpr std::array<ModelKind, 3> kKinds{{{1, 90, 1, 0.1}, {4, 300, 5, 0.4}, {2, 480, 12, 0.7}}};

std::uint64_t next_load(std::uint64_t load, double runnable) {
  const auto active = static_cast<std::uint64_t>(std::llround(runnable * kFixedOne));
  std::uint64_t next = load * kDecayOfFiveSeconds + active * (kFixedOne - kDecayOfFiveSeconds);
  if (active >= load) next += kFixedOne - 1;
  return next / kFixedOne;
}

void average_of_ten_seconds(double& average, double now) {
  const double keep = std::exp(-2.0 / 10.0);
  average = average * keep + now * (1 - keep);
}

}  // namespace

JobStream::JobStream(HostShape host, std::uint64_t seed) : host_(host), random_(seed) {}

double JobStream::uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

// The standard library's distributions differ between implementations.
double JobStream::lognormal(double median, double sigma) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return median * std::exp(sigma * radius * std::cos(2 * std::numbers::pi * uniform()));
}

JobSpec JobStream::next() {
  const ModelKind& kind = kKinds[static_cast<std::size_t>(uniform() * kKinds.size())];
  JobSpec job;
  job.setup_seconds = 20 + 40 * uniform();
  job.cores = std::min<double>(kind.cores, host_.cores);
  job.work_seconds = lognormal(kind.work_seconds, 0.4);
  job.peak_gib = std::min(lognormal(kind.peak_gib, 0.3), kLargestPart * host_.memory_gib);
  job.climb_from = kind.climb_from;
  return job;
}

HostModel::HostModel(HostShape shape) : shape_(shape) {}

void HostModel::start(const JobSpec& job) {
  jobs_.push_back({job, job.setup_seconds, job.work_seconds});
}

double HostModel::memory_of(const Job& job) {
  if (job.setup_left > 0) return kSetupShare * job.spec.peak_gib;
  const double done = 1 - job.work_left / job.spec.work_seconds;
  const double climbed = std::clamp((done - job.spec.climb_from) / kClimbShare, 0.0, 1.0);
  return job.spec.peak_gib * (kEarlyShare + (1 - kEarlyShare) * climbed);
}

double HostModel::used_gib() const {
  return std::accumulate(jobs_.begin(), jobs_.end(), kSystemPart * shape_.memory_gib,
                         [](double sum, const Job& job) { return sum + memory_of(job); });
}

double HostModel::demand() const {
  return std::accumulate(jobs_.begin(), jobs_.end(), 0.0, [](double sum, const Job& job) {
    return sum + (job.setup_left > 0 ? job.spec.setup_cores : job.spec.cores);
  });
}

void HostModel::advance() {
  const double wanted = demand();
  const double oversubscribed = std::max(1.0, wanted / shape_.cores);
  const double stall = std::clamp(1 - view().available / kRefaultsBelow, 0.0, kDeepestStall);
  const double speed = (1 - stall) / (oversubscribed * (1 + kSwitchLoss * (oversubscribed - 1)));
  for (Job& job : jobs_) (job.setup_left > 0 ? job.setup_left : job.work_left) -= speed;

  std::erase_if(jobs_, [&](const Job& job) {
    if (job.work_left > 0) return false;
    ++tally_.finished;
    tally_.useful_core_seconds +=
        job.spec.setup_seconds * job.spec.setup_cores + job.spec.work_seconds * job.spec.cores;
    return true;
  });
  kill_for_memory();

  ++tally_.seconds;
  tally_.busy_core_seconds += std::min<double>(wanted, shape_.cores) * (1 - stall);
  sample(wanted, stall);
}

void HostModel::kill_for_memory() {
  while (used_gib() > shape_.memory_gib) {
    const auto largest =
        std::max_element(jobs_.begin(), jobs_.end(),
                         [](const Job& a, const Job& b) { return memory_of(a) < memory_of(b); });
    jobs_.erase(largest);
    ++tally_.killed;
  }
}

void HostModel::sample(double runnable, double stalled) {
  if (tally_.seconds % 5 == 0) load_ = next_load(load_, runnable);
  if (tally_.seconds % 2 != 0) return;
  average_of_ten_seconds(averages_.cpu_some, std::clamp(runnable - shape_.cores, 0.0, 1.0));
  average_of_ten_seconds(averages_.memory_some, stalled);
  average_of_ten_seconds(averages_.memory_full, stalled / 2);
}

HostView HostModel::view() const {
  HostView view = averages_;
  view.load1 = static_cast<double>(load_) / kFixedOne;
  view.available = std::max(0.0, 1 - used_gib() / shape_.memory_gib);
  view.running = static_cast<int>(jobs_.size());
  view.starting = static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.setup_left > 0; }));
  return view;
}

}  // namespace sluice::model
