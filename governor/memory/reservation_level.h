#pragma once

#include "sluice/prediction.h"

namespace sluice {

/// A level whose memory is limited, as last read.
struct ReservationLevel {
  MemoryLimit seen;
  double unmeasured_use = 0;  ///< The part of the usage that is not by measured jobs, in bytes.
};

}  // namespace sluice
