#include "service/jobserver/client_cpu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::jobserver {
namespace {

std::vector<ProcessFacts> known(pid_t client) {
  const auto facts = read_process(client);
  return facts ? std::vector{*facts} : std::vector<ProcessFacts>{};
}

}  // namespace

Duration estimated_delay(Duration cpu, const SchedulerTimes& sampled, Duration span,
                         std::size_t tasks) {
  const auto ran = static_cast<double>(sampled.ran.count());
  const auto waited = static_cast<double>(sampled.waited.count());
  const double delay = ran > 0 ? waited * static_cast<double>(cpu.count()) / ran : waited;
  const double most = static_cast<double>(span.count()) * static_cast<double>(tasks);
  return Duration(std::llround(std::clamp(delay, 0.0, std::min(most, 9e18))));
}

void add_part(JobUsage& usage, const ClientUse& use, std::size_t parts) {
  const auto divisor = static_cast<std::int64_t>(std::max<std::size_t>(1, parts));
  usage.wall += use.span;
  usage.cpu += use.cpu / divisor;
  usage.cpu_delay += use.delay / divisor;
}

ClientCpu::ClientCpu(pid_t client, TimePoint now)
    : tree_(ticks_since_boot(), known(client)), sampled_(now) {}

ClientUse ClientCpu::sample(const std::vector<ProcessFacts>& members,
                            std::map<pid_t, SchedulerTimes> times, TimePoint now) {
  ClientUse use;
  use.span = std::max(Duration{0}, now - sampled_);
  sampled_ = now;
  use.cpu = tree_.sample(members).cpu;
  const SchedulerTimes before = delay_.together();
  const std::size_t tasks = times.size();
  delay_.update(std::move(times));
  const SchedulerTimes sampled{delay_.together().ran - before.ran,
                               delay_.together().waited - before.waited};
  use.delay = estimated_delay(use.cpu, sampled, use.span, tasks);
  return use;
}

}  // namespace sluice::jobserver
