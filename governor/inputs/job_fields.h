#pragma once

#include "governor/inputs/listed.h"
#include "governor/inputs/unit_fields.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/locks.h"
#include "sluice/refusal.h"

// The fields of jobs, and of what becomes of them.

namespace sluice {

void fields(FieldsOf<ResourceDemand> auto& self, auto&& visit) {
  auto& [manager, amount] = self;
  visit(manager, amount);
}
void fields(FieldsOf<LevelLocks> auto& self, auto&& visit) {
  auto& [level, shared, exclusive, unknown_shared, all_shared, unknown_exclusive, all_exclusive] =
      self;
  visit(level, shared, exclusive, unknown_shared, all_shared, unknown_exclusive, all_exclusive);
}
void fields(FieldsOf<JobRequest> auto& self, auto&& visit) {
  auto& [id, key, program, user, variant, queue, priority, inventory, cost, reports_started,
         measured, suspendable, takes_turns, global_lock, on_failure, nice, memory, locks,
         resources, after, reasons, params, parent] = self;
  visit(id, key, program, user, variant, queue, priority, inventory, cost, reports_started,
        measured, suspendable, takes_turns, global_lock, on_failure, nice, memory, locks, resources,
        after, reasons, params, parent);
}
void fields(FieldsOf<HeldItems> auto& self, auto&& visit) {
  auto& [manager, items] = self;
  visit(manager, items);
}
void fields(FieldsOf<JobOrder> auto& self, auto&& visit) {
  auto& [arrival, whole, part] = self;
  visit(arrival, whole, part);
}
void fields(FieldsOf<JobChange::Position> auto& self, auto&& visit) {
  auto& [where, of] = self;
  visit(where, of);
}
void fields(FieldsOf<JobChange> auto& self, auto&& visit) {
  auto& [priority, queue, position, frozen, nice, locks, global_lock] = self;
  visit(priority, queue, position, frozen, nice, locks, global_lock);
}
void fields(FieldsOf<JobSnapshot> auto& self, auto&& visit) {
  auto& [id, request, cost, arrived, admitted, starting, frozen, order, items] = self;
  visit(id, request, cost, arrived, admitted, starting, frozen, order, items);
}
void fields(FieldsOf<GovernorSnapshot> auto& self, auto&& visit) {
  auto& [jobs, last, failed] = self;
  visit(jobs, last, failed);
}
void fields(FieldsOf<Queued> auto& self, auto&& visit) {
  auto& [id, deduplicated, arrival, cost] = self;
  visit(id, deduplicated, arrival, cost);
}
void fields(FieldsOf<Refusal> auto& self, auto&& visit) {
  auto& [code, binding, cost, usage, size, ahead, needs, free, total] = self;
  visit(code, binding, cost, usage, size, ahead, needs, free, total);
}
void fields(FieldsOf<BadRequest> auto& self, auto&& visit) {
  auto& [field, message] = self;
  visit(field, message);
}

}  // namespace sluice
