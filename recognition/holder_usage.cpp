#include "recognition/holder_usage.h"

#include <algorithm>
#include <chrono>

#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "recognition/process_facts.h"

namespace sluice {
namespace {

constexpr Duration kFirst = std::chrono::milliseconds(10);
constexpr Duration kLongest = std::chrono::milliseconds(250);

}  // namespace

HolderUsage::HolderUsage(TimePoint now, Duration ran)
    : began_(now - ran), read_(began_), due_(now + kFirst) {}

void HolderUsage::end(TimePoint now) {
  usage_.wall = now - began_;
  const double grown = growth_ * static_cast<double>((now - read_).count());
  const double held = static_cast<double>(usage_.memory.value);
  const double most = held + std::clamp(grown, 0.0, held);
  usage_.peak_memory = std::max(usage_.peak_memory, Bytes{static_cast<std::uint64_t>(most)});
}

void HolderUsage::read(const std::vector<pid_t>& processes, TimePoint now) {
  Duration cpu{0}, delay{0};
  Bytes memory;
  std::uint64_t moved = 0;
  is_in_disk_wait_ = false;
  for (const pid_t process : processes) {
    const auto facts = read_process(process);
    if (!facts || !facts->is_alive()) continue;
    const auto times = parse_schedstat(read_schedstat(process)).value_or(SchedulerTimes{});
    // The kernel counts a process by ticks of 10 ms, and its first thread exactly.
    cpu += std::max(facts->cpu, times.ran);
    delay += times.waited;
    moved += read_bytes_moved(process).value_or(0);
    is_in_disk_wait_ = is_in_disk_wait_ || facts->state == 'D';
    const auto held = read_process_memory(process);
    if (held) memory.value += held->own.value + held->shared.value;
  }
  const double grown = static_cast<double>(memory.value) - static_cast<double>(usage_.memory.value);
  growth_ = grown / static_cast<double>(std::max<Duration::rep>((now - read_).count(), 1));
  read_ = now;
  due_ = now + std::clamp(now - began_, kFirst, kLongest);
  usage_.wall = now - began_;
  usage_.cpu = std::max(usage_.cpu, cpu);
  usage_.cpu_delay = std::max(usage_.cpu_delay, delay);
  usage_.memory = memory;
  usage_.peak_memory = std::max(usage_.peak_memory, memory);
  moved_ = std::max(moved_, moved);
}

HolderUse HolderUsage::use(pid_t process) const {
  return {process, usage_.cpu + usage_.cpu_delay, moved_, is_in_disk_wait_, is_suspended};
}

}  // namespace sluice
