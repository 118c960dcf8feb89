#include "service/jobs/faults.h"

#include "base/enum_names.h"
#include "service/jobs/memory_reserve.h"

namespace sluice {

std::string_view to_string(FaultPlace place) {
  static constexpr EnumNames<FaultPlace::event> kNames{
      "request", "connection", "admission", "timer", "process", "jobserver", "signal", "event"};
  return kNames.of(place);
}

void Faults::record_fault(FaultPlace place, std::string_view detail, std::string_view what,
                          TimePoint now) noexcept {
  ++counts_[static_cast<std::size_t>(place)];
  last_[all_++ % kMany] = now;
  const Infallible whole;
  try {
    std::string line = "internal error in " + std::string(to_string(place));
    if (!detail.empty()) line.append(" ").append(detail);
    if (log_) log_(LogLevel::error, line.append(": ").append(what));
  } catch (...) {
    // The fault is counted all the same.
  }
}

bool Faults::are_many(TimePoint now) const {
  constexpr Duration kSpan = std::chrono::minutes(1);
  // The next slot to be overwritten is the oldest.
  return all_ >= kMany && now - last_[all_ % kMany] < kSpan;
}

InternalErrors Faults::counts() const {
  InternalErrors counts;
  for (std::size_t at = 0; at < kFaultPlaces; ++at) {
    counts.emplace_back(to_string(static_cast<FaultPlace>(at)), counts_[at]);
  }
  return counts;
}

}  // namespace sluice
