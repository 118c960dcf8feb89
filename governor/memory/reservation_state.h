#pragma once

#include "sluice/prediction.h"

namespace sluice {

/// A level whose memory is limited, as last read.
struct ReservationLevel {
  MemoryLimit seen;
  double unmeasured_use = 0;  ///< The part of the usage that is not by measured jobs, in bytes.
};

/// Sums over the charges of the running jobs, in bytes and bytes squared; see
/// `Reservation::Charge`.
struct ReservationSums {
  double mean = 0, variance = 0;
  double beyond = 0;        ///< Of the finite ones.
  int without_most = 0;     ///< Charges with a variance whose `beyond` is infinite.
  double among_others = 0;  ///< The part of `mean` whose use counts among that of others.
};

}  // namespace sluice
