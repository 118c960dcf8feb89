#include "cli/whatif/neighbours.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/seconds.h"

namespace sluice::cli {
namespace {

/// Threads that are the same, or none.
constexpr double kAlike = 0.1;

/// Part of the memory that is the same.
constexpr double kAlikeMemory = 0.05;

/// Sums of amount x seconds, by interval.
class Intervals {
 public:
  Intervals(Duration length, Duration end)
      : length_(to_seconds(length)),
        sums_(static_cast<std::size_t>(std::max(1.0, std::ceil(to_seconds(end) / length_)))) {}

  void add(Duration from, Duration until, double amount) {
    const double begin = std::max(0.0, to_seconds(from));
    const double end = std::min(to_seconds(until), length_ * static_cast<double>(sums_.size()));
    for (auto at = static_cast<std::size_t>(begin / length_);
         at < sums_.size() && static_cast<double>(at) * length_ < end; ++at) {
      const double first = std::max(begin, static_cast<double>(at) * length_);
      const double last = std::min(end, static_cast<double>(at + 1) * length_);
      sums_[at] += amount * std::max(0.0, last - first);
    }
  }
  std::size_t count() const { return sums_.size(); }
  double mean(std::size_t at) const { return sums_[at] / length_; }

 private:
  double length_;
  std::vector<double> sums_;
};

bool is_alike(const ScenarioNeighbour& a, const ScenarioNeighbour& b) {
  const auto memory = [](const ScenarioNeighbour& each) {
    return static_cast<double>(each.memory.value);
  };
  return std::abs(a.threads - b.threads) < kAlike &&
         std::abs(memory(a) - memory(b)) <= kAlikeMemory * std::max(memory(a), memory(b));
}

}  // namespace

std::vector<ScenarioNeighbour> neighbours_of(std::span<const BusyFrom> busy,
                                             std::span<const UsedFrom> jobs, Duration end) {
  const Duration length =
      std::clamp<Duration>(end / 200, std::chrono::seconds(5), std::chrono::seconds(60));
  Intervals used(length, end), own(length, end), memory(length, end);
  for (std::size_t at = 0; at < busy.size(); ++at) {
    const Duration until = at + 1 < busy.size() ? busy[at + 1].at : end;
    used.add(busy[at].at, until, busy[at].cores + busy[at].waiting);
    memory.add(busy[at].at, until, static_cast<double>(busy[at].others.value));
  }
  for (const UsedFrom& job : jobs) own.add(job.from, job.until, job.cores);

  std::vector<ScenarioNeighbour> neighbours;
  for (std::size_t at = 0; at < used.count(); ++at) {
    ScenarioNeighbour each;
    each.from = length * static_cast<std::int64_t>(at);
    each.until = each.from + length;
    each.threads = std::max(0.0, used.mean(at) - own.mean(at));
    if (each.threads < kAlike) each.threads = 0;
    each.memory = Bytes{static_cast<std::uint64_t>(memory.mean(at))};
    if (each.threads == 0 && each.memory == Bytes{0}) continue;
    const bool goes_on = !neighbours.empty() && neighbours.back().until == each.from &&
                         is_alike(neighbours.back(), each);
    if (goes_on) {
      neighbours.back().until = each.until;
    } else {
      neighbours.push_back(each);
    }
  }
  return neighbours;
}

}  // namespace sluice::cli
