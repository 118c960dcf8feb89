#pragma once

#include "sensors/psi.h"
#include "sluice/reading.h"

namespace sluice {

/// full avg10 / most. Ignores `some`: one task waiting for its disk is no congestion.
Result<Reading> io_pressure_reading(const PsiSample& sample, double most);

/// The `io_pressure` sensor. Not thread-safe.
class IoPressureSensor {
 public:
  IoPressureSensor(HostPaths paths, double most)
      : psi_(std::move(paths), PsiKind::io), most_(most) {}
  Result<Reading> read(TimePoint now);

 private:
  NearestPsi psi_;
  double most_;
};

}  // namespace sluice
