#pragma once

#include "governor/inputs/listed.h"
#include "governor/inputs/unit_fields.h"
#include "governor/law/knee_state.h"
#include "governor/law/lasting_state.h"
#include "governor/law/machine_use.h"
#include "governor/law/window.h"
#include "sluice/status.h"

// The fields of what a core knows.

namespace sluice {

void fields(FieldsOf<MachineUse> auto& self, auto&& visit) {
  auto& [span, cpus, busy, cores, yielding, waiting, io_waiting, sectors, own_waiting, ended] =
      self;
  visit(span, cpus, busy, cores, yielding, waiting, io_waiting, sectors, own_waiting, ended);
}
void fields(FieldsOf<KneeState> auto& self, auto&& visit) {
  auto& [measured, grown, yielded, unused_since, recent, usage_peak, usage_peak_at, cores_before,
         sectors_before, fruitless] = self;
  visit(measured, grown, yielded, unused_since, recent, usage_peak, usage_peak_at, cores_before,
        sectors_before, fruitless);
}
void fields(FieldsOf<WindowState> auto& self, auto&& visit) {
  auto& [size, threshold, round_began, wanted, last_cut, idle_since, knee] = self;
  visit(size, threshold, round_began, wanted, last_cut, idle_since, knee);
}
void fields(FieldsOf<Histogram<kWaitBounds.size()>> auto& self, auto&& visit) {
  auto& [counts, sum] = self;
  visit(counts, sum);
}
void fields(FieldsOf<Histogram<kDurationBounds.size()>> auto& self, auto&& visit) {
  auto& [counts, sum] = self;
  visit(counts, sum);
}
void fields(FieldsOf<Counters> auto& self, auto&& visit) {
  auto& [submitted, admitted, finished, cancelled, rejected, window_increases, window_decreases,
         registrations, deregistrations, wait, duration] = self;
  visit(submitted, admitted, finished, cancelled, rejected, window_increases, window_decreases,
        registrations, deregistrations, wait, duration);
}
void fields(FieldsOf<FirstReading> auto& self, auto&& visit) {
  auto& [at, cpus] = self;
  visit(at, cpus);
}
void fields(FieldsOf<LastingState> auto& self, auto&& visit) {
  auto& [window, last_change, registration, operated, refused_for_size, refused_for_memory,
         judged_at, believed, last_id, last_arrival, first_reading, use_counters, use, used_at,
         tasks, use_is_new, at_knee, own_cpu, own_delay, own_cpu_then, own_delay_then, ended_then,
         neighbours, last_ramp, short_at, counters] = self;
  visit(window, last_change, registration, operated, refused_for_size, refused_for_memory,
        judged_at, believed, last_id, last_arrival, first_reading, use_counters, use, used_at,
        tasks, use_is_new, at_knee, own_cpu, own_delay, own_cpu_then, own_delay_then, ended_then,
        neighbours, last_ramp, short_at, counters);
}

}  // namespace sluice
