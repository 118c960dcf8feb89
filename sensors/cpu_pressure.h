#pragma once

#include <optional>
#include <string>

#include "sensors/files/growth.h"
#include "sensors/psi.h"
#include "sluice/reading.h"

namespace sluice {

/// `waited`: part of the time in which some task waited for a CPU, nullopt before two readings;
/// pressure waited / most, 0 if either is missing.
Reading cpu_pressure_reading(std::optional<double> waited, std::optional<double> most,
                             const std::string& source);

/// The `cpu_pressure` sensor: the rate of `some total` between two measurements, because the 10 s
/// average saturates late and decays late. Not thread-safe.
class CpuPressureSensor {
 public:
  /// `most` is a ratio of time; nullopt: display only.
  CpuPressureSensor(HostPaths paths, std::optional<double> most)
      : psi_(std::move(paths), PsiKind::cpu), most_(most) {}
  Result<Reading> read(TimePoint now);

 private:
  NearestPsi psi_;
  std::optional<double> most_;
  GrowthRatio growth_;
  std::string source_;
};

}  // namespace sluice
