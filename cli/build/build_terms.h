#pragma once

#include <optional>

#include "base/non_copyable.h"
#include "sluice/units.h"

namespace sluice::cli {

/// What a build took and what it could have used, by which another number of jobs is judged.
struct BuildTerms {
  Duration took{0};  ///< From its start on.
  Duration cpu{0};   ///< CPU time of its processes, except those that nobody has waited for.
  double cpus = 1;   ///< That it may use; > 0.
  std::optional<Bytes> memory = {};  ///< The least limit that holds for it; nullopt if unknown.
};

/// Measures the build that this process starts from now on. Not thread-safe.
class BuildMeter : NonCopyable {
 public:
  BuildMeter();

  /// Until now. Its CPU time counts once this process has waited for the build's command.
  BuildTerms terms() const;

 private:
  TimePoint began_;
  Duration cpu_before_;
};

}  // namespace sluice::cli
