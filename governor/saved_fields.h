#pragma once

#include <type_traits>

#include "governor/books/dependencies.h"
#include "governor/books/queues.h"
#include "governor/books/resources.h"
#include "governor/books/running_jobs.h"
#include "governor/inputs/job_fields.h"
#include "governor/inputs/option_fields.h"
#include "governor/inputs/reading_fields.h"
#include "governor/inputs/state_fields.h"
#include "governor/law/cpu_demand.h"
#include "governor/memory/reservation.h"

// The fields of what a core knows of its jobs.

namespace sluice {

void fields(FieldsOf<SavedQueue> auto& self, auto&& visit) {
  auto& [name, parent, user, ended, paused] = self;
  visit(name, parent, user, ended, paused);
}
void fields(FieldsOf<SavedManager::Item> auto& self, auto&& visit) {
  auto& [name, holder] = self;
  visit(name, holder);
}
void fields(FieldsOf<SavedManager> auto& self, auto&& visit) {
  auto& [key, kind, used, items, running] = self;
  visit(key, kind, used, items, running);
}
void fields(FieldsOf<Awaiting> auto& self, auto&& visit) {
  auto& [open, failed, on_failure] = self;
  visit(open, failed, on_failure);
}
void fields(FieldsOf<ReservationLevel> auto& self, auto&& visit) {
  auto& [seen, unmeasured_use] = self;
  visit(seen, unmeasured_use);
}
void fields(FieldsOf<ReservationSums> auto& self, auto&& visit) {
  auto& [mean, variance, beyond, without_most, among_others] = self;
  visit(mean, variance, beyond, without_most, among_others);
}
void fields(FieldsOf<Reservation::Charge> auto& self, auto&& visit) {
  auto& [mean, variance, among_others, beyond] = self;
  visit(mean, variance, among_others, beyond);
}
void fields(FieldsOf<ResourceNeed> auto& self, auto&& visit) {
  auto& [manager, amount] = self;
  visit(manager, amount);
}
void fields(FieldsOf<Loan> auto& self, auto&& visit) {
  auto& [lender, need] = self;
  visit(lender, need);
}
void fields(FieldsOf<MemoryUse> auto& self, auto&& visit) {
  auto& [held, peak, grew_at, active, active_at_growth, cpu, cpu_at_growth, is_measured, progress,
         wall, delay] = self;
  visit(held, peak, grew_at, active, active_at_growth, cpu, cpu_at_growth, is_measured, progress,
        wall, delay);
}
void fields(FieldsOf<CpuDemand::State> auto& self, auto&& visit) {
  auto& [cores, used, cpu, delay, progress, seen, wall_began, cpu_began, delay_began] = self;
  visit(cores, used, cpu, delay, progress, seen, wall_began, cpu_began, delay_began);
}
void fields(FieldsOf<CpuDemand> auto& self, auto&& visit) {
  CpuDemand::State state = self.state();
  visit(state);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) self = CpuDemand(state);
}
void fields(FieldsOf<RunningState> auto& self, auto&& visit) {
  auto& [admitted, turn, needs, items, use, charge, need, growth, own_held, loans, cpu,
         expected_cores, ramp, profile, latent_cores, admitted_cost, starting, in_reading] = self;
  visit(admitted, turn, needs, items, use, charge, need, growth, own_held, loans, cpu,
        expected_cores, ramp, profile, latent_cores, admitted_cost, starting, in_reading);
}

}  // namespace sluice
