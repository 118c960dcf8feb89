#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "governor/inputs/listed.h"
#include "governor/law/sensor_state.h"
#include "sluice/permit.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// A job that was just admitted; `slot` identifies it when its points are returned.
struct Admitted {
  JobId id;
  Points cost;
  std::uint32_t slot = 0;
  std::vector<HeldItems> items;
};

/// A pending job whose wait ended without admission: cancelled by a dependency or a rule.
struct Ended {
  JobId job;
  Refusal refusal;
};

/// A sensor as the core knows it: its name, its policy and its state.
struct KnownSensor {
  std::string_view name;  ///< Interned by the caller; outlives the core.
  SensorPolicy policy;
  SensorState sensor_state;
  Duration read_duration{0};
};

// For the record, see inputs/.

FieldCount<4> field_count(const KnownSensor*);
FieldCount<4> field_count(const Admitted*);
FieldCount<2> field_count(const Ended*);

}  // namespace sluice
