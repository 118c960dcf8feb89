#pragma once

#include "base/text.h"
#include "fuzz.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice::fuzz {

/// The promises of every reading: pressures within bounds, and sentences that fit on one line.
inline void check(const Reading& reading) {
  for (const Condition& condition : reading.conditions) {
    require(condition.pressure >= 0 && condition.pressure <= 100, "pressure is within [0, 100]");
  }
  require(reading.conditions.empty() || reading.worst < reading.conditions.size(),
          "the worst condition is one of them");
  require(printable(reading.sentence) == reading.sentence, "the sentence is printable");
}

inline void check(const ReadFailure& failure) {
  require(!failure.what.empty(), "a failure says what is wrong");
  require(printable(failure.what) == failure.what, "a failure is printable");
}

inline void check(const Result<Reading>& result) {
  if (const Reading* reading = value_in(result)) return check(*reading);
  check(failure_in(result));
}

}  // namespace sluice::fuzz
