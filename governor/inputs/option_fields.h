#pragma once

#include "governor/inputs/listed.h"
#include "governor/inputs/unit_fields.h"
#include "sluice/options.h"
#include "sluice/queueing.h"

// The fields of the options of a governor.

namespace sluice {

void fields(FieldsOf<WindowParameters> auto& self, auto&& visit) {
  auto& [law, initial, minimum, maximum, threshold, step, blind_threshold, increase_above, interval,
         round, cut_settle, idle_restart, dwell, cut_gain, hard] = self;
  visit(law, initial, minimum, maximum, threshold, step, blind_threshold, increase_above, interval,
        round, cut_settle, idle_restart, dwell, cut_gain, hard);
}
void fields(FieldsOf<LockTable> auto& self, auto&& visit) {
  auto& [tenths] = self;
  visit(tenths);
}
void fields(FieldsOf<ContentionOptions> auto& self, auto&& visit) {
  auto& [mode, levels, base_tenths, tick, aging_ticks, undeclared, batch, boosts_priority, table] =
      self;
  visit(mode, levels, base_tenths, tick, aging_ticks, undeclared, batch, boosts_priority, table);
}
void fields(FieldsOf<QueueOptions> auto& self, auto&& visit) {
  auto& [resources, paused, backfill] = self;
  visit(resources, paused, backfill);
}
void fields(FieldsOf<ResourceOptions> auto& self, auto&& visit) {
  auto& [kind, total, items, consumption, shortage, jqm_compatible] = self;
  visit(kind, total, items, consumption, shortage, jqm_compatible);
}
void fields(FieldsOf<KeyOptions> auto& self, auto&& visit) {
  auto& [queue, priority, inventory, nice, cost, resources, locks, global_lock] = self;
  visit(queue, priority, inventory, nice, cost, resources, locks, global_lock);
}
void fields(FieldsOf<RuleOptions> auto& self, auto&& visit) {
  auto& [id, key, queue, reason, action, n] = self;
  visit(id, key, queue, reason, action, n);
}
void fields(FieldsOf<QueueingOptions> auto& self, auto&& visit) {
  auto& [contention, queues, resources, keys, rules, declared_memory] = self;
  visit(contention, queues, resources, keys, rules, declared_memory);
}
void fields(FieldsOf<ReservationOptions> auto& self, auto&& visit) {
  auto& [reserve, z, prior, brake, retries, enforce] = self;
  visit(reserve, z, prior, brake, retries, enforce);
}
/// Both meters belong to the threads around the core, which does not call them.
void fields(FieldsOf<GovernorOptions> auto& self, auto&& visit) {
  auto& [window, max_pending, starting_most, starting_floor, starting, queueing, reservation,
         memory_meter, least_cost, use_meter, when_red] = self;
  visit(window, max_pending, starting_most, starting_floor, starting, queueing, reservation,
        least_cost, when_red);
}

}  // namespace sluice
