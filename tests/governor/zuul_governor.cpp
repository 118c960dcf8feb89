#include "zuul_governor.h"

#include <algorithm>

namespace sluice::model {
namespace {

constexpr double kLoadMultiplier = 2.5;
constexpr double kZuulLeastAvailable = 0.05;
constexpr std::int64_t kTick = 10;

}  // namespace

ZuulGovernor::ZuulGovernor(int cpus)
    : most_load_(kLoadMultiplier * cpus),
      most_starting_(static_cast<int>(most_load_ * (cpus <= 4 ? 2 : 1))),
      least_starting_(std::min(std::max(cpus / 2, 1), most_starting_)) {}

int ZuulGovernor::starting_limit(int running) const {
  return std::max(most_starting_ - running, least_starting_);
}

bool ZuulGovernor::host_red(const HostView& host) const {
  return host.load1 > most_load_ || host.available < kZuulLeastAvailable;
}

void ZuulGovernor::manage_load(const HostView& host) {
  accepting_ = !host_red(host) && host.starting < starting_limit(host.running);
}

void ZuulGovernor::tick(std::int64_t second, const HostView& host) {
  if (second > 0 && second % kTick == 0) manage_load(host);
}

}  // namespace sluice::model
