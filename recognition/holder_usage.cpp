#include "recognition/holder_usage.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include "base/process_table.h"
#include "recognition/process_facts.h"

namespace sluice {
namespace {

/// The time in which a process waited for a CPU, the second number of schedstat, in nanoseconds.
Duration delay_of(pid_t process) {
  const std::string text = read_schedstat(process);
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return Duration{0};
  std::uint64_t nanoseconds = 0;
  std::from_chars(text.data() + blank + 1, text.data() + text.size(), nanoseconds);
  return std::chrono::duration_cast<Duration>(
      std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}

constexpr Duration kFirst = std::chrono::milliseconds(10);
constexpr Duration kLongest = std::chrono::milliseconds(250);

}  // namespace

HolderUsage::HolderUsage(TimePoint began) : began_(began), read_(began), due_(began + kFirst) {}

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
    cpu += facts->cpu;
    delay += delay_of(process);
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
