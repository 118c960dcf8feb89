#pragma once

#include "governor/inputs/listed.h"
#include "governor/inputs/unit_fields.h"
#include "governor/law/registration.h"
#include "governor/law/sensor_state.h"
#include "sluice/machine_use.h"
#include "sluice/prediction.h"
#include "sluice/reading.h"
#include "sluice/sensor.h"
#include "sluice/status.h"
#include "sluice/usage.h"

// The fields of what is measured and predicted, and of what the window does by it.

namespace sluice {

void fields(FieldsOf<SensorPolicy> auto& self, auto&& visit) {
  auto& [acts, resume, on_error, max_age] = self;
  visit(acts, resume, on_error, max_age);
}
void fields(FieldsOf<Condition> auto& self, auto&& visit) {
  auto& [name, value, limit, total, unit, pressure] = self;
  visit(name, value, limit, total, unit, pressure);
}
void fields(FieldsOf<Reading> auto& self, auto&& visit) {
  auto& [conditions, worst, sentence, source] = self;
  visit(conditions, worst, sentence, source);
}
void fields(FieldsOf<ReadFailure> auto& self, auto&& visit) {
  auto& [what] = self;
  visit(what);
}
void fields(FieldsOf<Measurement> auto& self, auto&& visit) {
  auto& [taken, result] = self;
  visit(taken, result);
}
void fields(FieldsOf<SensorState> auto& self, auto&& visit) {
  auto& [red, up, reading, taken, failure, failures, attempt] = self;
  visit(red, up, reading, taken, failure, failures, attempt);
}
void fields(FieldsOf<UseCounters::Level> auto& self, auto&& visit) {
  auto& [where, used, available] = self;
  visit(where, used, available);
}
void fields(FieldsOf<UseCounters::Stall> auto& self, auto&& visit) {
  auto& [source, some] = self;
  visit(source, some);
}
void fields(FieldsOf<UseCounters::RunDelay> auto& self, auto&& visit) {
  auto& [ran, waited] = self;
  visit(ran, waited);
}
void fields(FieldsOf<UseCounters> auto& self, auto&& visit) {
  auto& [at, cpus, levels, yielding, cpu_stall, io_stall, run_delay, running, blocked, sectors] =
      self;
  visit(at, cpus, levels, yielding, cpu_stall, io_stall, run_delay, running, blocked, sectors);
}
void fields(FieldsOf<MemoryLimit> auto& self, auto&& visit) {
  auto& [where, limit, used, kill] = self;
  visit(where, limit, used, kill);
}
void fields(FieldsOf<JobUsage> auto& self, auto&& visit) {
  auto& [source, wall, cpu, cpu_delay, memory, peak_memory, read, written, oom_kills] = self;
  visit(source, wall, cpu, cpu_delay, memory, peak_memory, read, written, oom_kills);
}
void fields(FieldsOf<MemoryNeed> auto& self, auto&& visit) {
  auto& [mean, deviation, most] = self;
  visit(mean, deviation, most);
}
void fields(FieldsOf<CpuPhase> auto& self, auto&& visit) {
  auto& [until, cores] = self;
  visit(until, cores);
}
void fields(FieldsOf<CpuProfile> auto& self, auto&& visit) {
  auto& [phases, count] = self;
  visit(phases, count);
}
void fields(FieldsOf<MemoryPhase> auto& self, auto&& visit) {
  auto& [until, mean, square, alive] = self;
  visit(until, mean, square, alive);
}
void fields(FieldsOf<MemoryProfile> auto& self, auto&& visit) {
  auto& [phases, count, runs] = self;
  visit(phases, count, runs);
}
void fields(FieldsOf<Prediction> auto& self, auto&& visit) {
  auto& [cost, memory, duration, rung, cores, sleeps, profile, ramp, late_cores, growth] = self;
  visit(cost, memory, duration, rung, cores, sleeps, profile, ramp, late_cores, growth);
}
void fields(FieldsOf<CpuStatus> auto& self, auto&& visit) {
  auto& [cpus, busy, waiting, demand, others] = self;
  visit(cpus, busy, waiting, demand, others);
}
void fields(FieldsOf<WindowChange> auto& self, auto&& visit) {
  auto& [at, from, to, cause, sensor, cpu, pending, said] = self;
  visit(at, from, to, cause, sensor, cpu, pending, said);
}
void fields(FieldsOf<RegistrationState> auto& self, auto&& visit) {
  auto& [announced, registered, deregistered_at] = self;
  visit(announced, registered, deregistered_at);
}
void fields(FieldsOf<RegistrationStep> auto& self, auto&& visit) {
  auto& [state, changed, wake] = self;
  visit(state, changed, wake);
}

}  // namespace sluice
