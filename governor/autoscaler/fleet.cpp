#include "governor/autoscaler/fleet.h"

#include <algorithm>
#include <map>

#include "governor/autoscaler/names.h"

namespace sluice {
namespace {

/// The most frequent number of slots, the larger on a tie.
int usual_slots_of(const std::vector<Executor>& executors) {
  std::map<int, int> frequency;
  for (const Executor& executor : executors) {
    if (executor.slots > 0) ++frequency[executor.slots];
  }
  int usual = 1, times = 0;
  for (const auto& [slots, count] : frequency) {
    if (count < times) continue;
    usual = slots;
    times = count;
  }
  return usual;
}

void count_fullness(const Executor& executor, Fleet& fleet) {
  const bool is_red = executor.fullness == Fullness::red;
  if (!is_red && executor.fullness != Fullness::full) return;
  ++fleet.numbers.full;
  fleet.red += is_red ? 1 : 0;
  fleet.full_usage += std::max(Points{0}, executor.usage);
  fleet.full_in_use += executor.usage > Points{0} ? 1 : 0;
}

void count_executor(const Executor& executor, Fleet& fleet) {
  ScaleNumbers& numbers = fleet.numbers;
  ++fleet.there;
  if (executor.draining) {
    ++numbers.draining;
    return;
  }
  ++numbers.executors;
  const bool slots_unknown = (executor.booting || executor.blind) && executor.slots <= 0;
  numbers.slots += slots_unknown ? fleet.usual_slots : std::max(0, executor.slots);
  numbers.usage += std::max(Points{0}, executor.usage);
  if (executor.booting) {
    ++numbers.booting;
    return;
  }
  numbers.used += std::max(0, executor.used);
  count_fullness(executor, fleet);
  if (!executor.blind) {
    fleet.in_use += executor.used > 0 || executor.usage > Points{0} ? 1 : 0;
    return;
  }
  ++numbers.blind;
  fleet.unseen_room += std::max(Points{0}, executor.window - executor.usage);
}

void count_queue(const std::vector<QueuedJob>& queued, Fleet& fleet) {
  ScaleNumbers& numbers = fleet.numbers;
  for (const QueuedJob& job : queued) {
    if (job.held) continue;
    fleet.waits = true;
    numbers.queued += std::max(1, job.slots);
    numbers.waited = std::max(numbers.waited, job.waited);
    numbers.pending += std::clamp(job.cost, Points{1}, kMostPoints);
  }
}

Duration stable_in(const AutoscaleState& state, const AutoscaleOptions& options, TimePoint now) {
  const TimePoint since = std::max(state.started, state.last_change.value_or(state.started));
  return std::max(Duration{0}, options.stabilise - (now - since));
}

/// A removable executor with its sort key. Most names differ only in their final number, so that is
/// compared first.
struct Candidate {
  Duration past;         ///< In its billing period.
  std::uint64_t number;  ///< At the end of its name.
  std::uint32_t stem;    ///< Identifies the text before the number.
  const std::string* id;
};

/// Maps the texts before numbers to ids.
class Stems {
 public:
  Candidate candidate_of(const std::string& id, Duration past) {
    const Numbered name = numbered(id).value_or(Numbered{id});
    return {past, name.number, number_of(name.stem), &id};
  }

 private:
  std::uint32_t number_of(std::string_view stem) {
    if (stem == last_) return last_number_;
    last_ = stem;
    last_number_ =
        numbers_.emplace(stem, static_cast<std::uint32_t>(numbers_.size())).first->second;
    return last_number_;
  }

  std::map<std::string_view, std::uint32_t> numbers_{{"", 0}};
  std::string_view last_;
  std::uint32_t last_number_ = 0;
};

bool goes_first(const Candidate& a, const Candidate& b) {
  if (a.past != b.past) return a.past > b.past;
  if (a.stem == b.stem && a.number != b.number) return a.number > b.number;
  return is_before_in_natural_order(*b.id, *a.id);
}

Duration past_in_period(Duration up, Duration billing) {
  const Duration past = std::max(Duration{0}, up);
  return billing > Duration{0} ? past % billing : past;
}

bool is_idle(const Executor& executor) {
  const bool sure = !executor.booting && !executor.draining && !executor.blind;
  return sure && executor.used <= 0 && executor.usage <= Points{0};
}

}  // namespace

Fleet count_fleet(const Observation& observation, const AutoscaleState& state,
                  const AutoscaleOptions& options, TimePoint now) {
  Fleet fleet;
  fleet.usual_slots =
      options.slots_each ? *options.slots_each : usual_slots_of(observation.executors);
  for (const Executor& executor : observation.executors) count_executor(executor, fleet);
  count_queue(observation.queued, fleet);
  ScaleNumbers& numbers = fleet.numbers;
  numbers.min = options.least();
  numbers.max = options.most();
  numbers.stable_in = stable_in(state, options, now);
  fleet.unseen = numbers.blind > 0 && numbers.blind + numbers.booting == numbers.executors;
  return fleet;
}

bool all_report_fullness(const std::vector<Executor>& executors) {
  bool any = false;
  for (const Executor& executor : executors) {
    const bool is_new = executor.booting || (executor.blind && executor.window <= Points{0});
    if (executor.draining || is_new) continue;
    if (executor.fullness == Fullness::unknown) return false;
    any = true;
  }
  return any;
}

bool is_due(const Executor& executor, const AutoscaleOptions& options) {
  return is_idle(executor) && past_in_period(executor.up, options.billing) >= options.due_after();
}

Removal choose_removal(const std::vector<Executor>& executors, const AutoscaleOptions& options,
                       int most) {
  Removal removal;
  std::vector<Candidate> due;
  Stems stems;
  for (const Executor& executor : executors) {
    if (executor.master || !is_due(executor, options)) continue;
    if (executor.undrainable) {
      ++removal.undrainable;
      continue;
    }
    due.push_back(stems.candidate_of(executor.id, past_in_period(executor.up, options.billing)));
  }
  removal.due = static_cast<int>(due.size());
  const auto count = std::min(due.size(), static_cast<std::size_t>(std::max(0, most)));
  const auto end = due.begin() + static_cast<std::ptrdiff_t>(count);
  if (end != due.end()) std::nth_element(due.begin(), end, due.end(), goes_first);
  std::sort(due.begin(), end, goes_first);
  removal.ids.reserve(count);
  for (auto it = due.begin(); it != end; ++it) removal.ids.push_back(*it->id);
  return removal;
}

}  // namespace sluice
