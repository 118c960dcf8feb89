#include "governor/idle_state.h"

#include <cstdint>
#include <utility>

#include "governor/red_sensors.h"
#include "governor/reload.h"

namespace sluice {
namespace {

IdleState state_of(const CoreState& core) {
  IdleState idle{.options = core.options,
                 .sensors = core.sensors,
                 .lasting = core,
                 .queues = {},
                 .names = {core.names.begin(), core.names.end()},
                 .failed_jobs = core.dependencies.failed().numbers(),
                 .memory = core.reservation.levels()};
  for (std::uint32_t number = 0; number < core.queues.size(); ++number) {
    const JobQueue& queue = core.queues[number];
    const bool lasts = queue.is_configured && !core.queues.is_branch(number);
    if (lasts) idle.queues.push_back({std::string(queue.name), queue.paused, queue.ended});
  }
  return idle;
}

/// `core`: just created with the options and sensors of `idle`.
void enter(CoreState& core, const IdleState& idle, TimePoint now) {
  for (const std::string& name : idle.names) core.names.intern(name);
  rebuild(core, now);
  static_cast<LastingState&>(core) = idle.lasting;
  for (const IdleQueue& each : idle.queues) {
    const std::uint32_t number = core.queues.number_of(each.name);
    if (number == core.queues.size()) continue;
    core.queues.pause(number, each.paused);
    core.queues[number].ended = each.ended;
  }
  core.dependencies.take_over(FailedJobs(idle.failed_jobs));
  core.reservation.take_over(idle.memory);
  judge_all(core, core.judged_at);
}

}  // namespace

bool is_idle(const CoreState& core) {
  return core.running.count() == 0 && core.pending->empty() && core.ended.empty() &&
         !core.dependencies.expects_any();
}

IdleState start_over(CoreState& core, TimePoint now) {
  IdleState idle = state_of(core);
  CoreState next(core.options, core.cost_model, core.sensors, now);
  // Refusals that callers still have point into these.
  next.names = std::move(core.names);
  next.limits = std::move(core.limits);
  next.limits.forget_all();
  next.resources = std::move(core.resources);
  next.resources.start_over(core.options.queueing.resources);
  enter(next, idle, now);
  core = std::move(next);
  return idle;
}

CoreState core_in(const IdleState& idle, CostModel model, TimePoint now) {
  CoreState core(idle.options, std::move(model), idle.sensors, now);
  enter(core, idle, now);
  return core;
}

}  // namespace sluice
