#pragma once

#include <cstddef>

#include "governor/inputs/listed.h"
#include "governor/law/knee_state.h"
#include "governor/law/lasting_state.h"
#include "governor/law/machine_use.h"
#include "governor/law/registration.h"
#include "governor/law/sensor_state.h"
#include "governor/law/window.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/locks.h"
#include "sluice/machine_use.h"
#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/queueing.h"
#include "sluice/reading.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"
#include "sluice/usage.h"

// The fields of what a record of calls holds, see inputs/listed.h.

namespace sluice {

// Jobs, and what becomes of them.

FieldCount<2> field_count(const ResourceDemand*);
FieldCount<7> field_count(const LevelLocks*);
FieldCount<23> field_count(const JobRequest*);
FieldCount<2> field_count(const HeldItems*);
FieldCount<3> field_count(const JobOrder*);
FieldCount<2> field_count(const JobChange::Position*);
FieldCount<7> field_count(const JobChange*);
FieldCount<9> field_count(const JobSnapshot*);
FieldCount<3> field_count(const GovernorSnapshot*);
FieldCount<4> field_count(const Queued*);
FieldCount<9> field_count(const Refusal*);
FieldCount<2> field_count(const BadRequest*);

// The options of a governor.

FieldCount<15> field_count(const WindowParameters*);
FieldCount<1> field_count(const LockTable*);
FieldCount<9> field_count(const ContentionOptions*);
FieldCount<3> field_count(const QueueOptions*);
FieldCount<6> field_count(const ResourceOptions*);
FieldCount<8> field_count(const KeyOptions*);
FieldCount<6> field_count(const RuleOptions*);
FieldCount<6> field_count(const QueueingOptions*);
FieldCount<6> field_count(const ReservationOptions*);

/// Both meters belong to the threads around the core, which does not call them.
void fields(FieldsOf<GovernorOptions> auto& self, auto&& visit) {
  auto& [window, max_pending, starting_most, starting_floor, starting, queueing, reservation,
         memory_meter, least_cost, use_meter, when_red] = self;
  visit(window, max_pending, starting_most, starting_floor, starting, queueing, reservation,
        least_cost, when_red);
}

// What is measured and predicted, and what the window does by it.

FieldCount<4> field_count(const SensorPolicy*);
FieldCount<6> field_count(const Condition*);
FieldCount<4> field_count(const Reading*);
FieldCount<1> field_count(const ReadFailure*);
FieldCount<2> field_count(const Measurement*);
FieldCount<7> field_count(const SensorState*);
FieldCount<3> field_count(const UseCounters::Level*);
FieldCount<2> field_count(const UseCounters::Stall*);
FieldCount<2> field_count(const UseCounters::RunDelay*);
FieldCount<10> field_count(const UseCounters*);
FieldCount<4> field_count(const MemoryLimit*);
FieldCount<9> field_count(const JobUsage*);
FieldCount<3> field_count(const MemoryNeed*);
FieldCount<2> field_count(const CpuPhase*);
FieldCount<2> field_count(const CpuProfile*);
FieldCount<4> field_count(const MemoryPhase*);
FieldCount<3> field_count(const MemoryProfile*);
FieldCount<11> field_count(const Prediction*);
FieldCount<5> field_count(const CpuStatus*);
FieldCount<8> field_count(const WindowChange*);
FieldCount<3> field_count(const RegistrationState*);
FieldCount<3> field_count(const RegistrationStep*);

// What a core knows.

FieldCount<10> field_count(const MachineUse*);
FieldCount<10> field_count(const KneeState*);
FieldCount<7> field_count(const WindowState*);
template <std::size_t N>
FieldCount<2> field_count(const Histogram<N>*);
FieldCount<11> field_count(const Counters*);
FieldCount<2> field_count(const FirstReading*);
FieldCount<26> field_count(const LastingState*);

}  // namespace sluice
