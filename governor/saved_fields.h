#pragma once

#include <type_traits>

#include "governor/books/dependencies.h"
#include "governor/books/queues.h"
#include "governor/books/resources.h"
#include "governor/books/running_jobs.h"
#include "governor/inputs/fields.h"
#include "governor/law/cpu_demand.h"
#include "governor/memory/reservation.h"

// The fields of what a core knows of its jobs.

namespace sluice {

FieldCount<5> field_count(const SavedQueue*);
FieldCount<2> field_count(const SavedManager::Item*);
FieldCount<5> field_count(const SavedManager*);
FieldCount<3> field_count(const Awaiting*);
FieldCount<2> field_count(const ReservationLevel*);
FieldCount<5> field_count(const ReservationSums*);
FieldCount<4> field_count(const Reservation::Charge*);
FieldCount<2> field_count(const ResourceNeed*);
FieldCount<2> field_count(const Loan*);
FieldCount<11> field_count(const MemoryUse*);
FieldCount<9> field_count(const CpuDemand::State*);
FieldCount<18> field_count(const RunningState*);

void fields(FieldsOf<CpuDemand> auto& self, auto&& visit) {
  CpuDemand::State state = self.state();
  visit(state);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) self = CpuDemand(state);
}

}  // namespace sluice
