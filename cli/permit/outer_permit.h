#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sluice/governor.h"
#include "sluice/options.h"
#include "sluice/permit.h"
#include "sluice/units.h"

namespace sluice::cli {

/// The permit of another governor on which this process runs, as its command was told.
struct OuterPermit {
  Points points;
  std::optional<Bytes> memory;  ///< What is kept for it; none: nothing is.
  std::string socket;  ///< Of the daemon that gave it; empty: nobody can be asked for more.
};

/// The variables that tell a command what its permit holds.
inline constexpr const char* kPermitPoints = "SLUICE_PERMIT_POINTS";
inline constexpr const char* kPermitMemory = "SLUICE_PERMIT_MEMORY";
inline constexpr const char* kPermitSocket = "SLUICE_PERMIT_SOCKET";

/// What these variables say; none: nothing that makes sense. `variable` gives the value of one, or
/// null. Pure.
std::optional<OuterPermit> outer_permit(const std::function<const char*(const char*)>& variable);
/// The same for this process.
std::optional<OuterPermit> outer_permit();

/// Sets all three variables, so that nothing of a permit further out shows through.
void tell(const OuterPermit& permit, std::map<std::string, std::string>& environment);

/// A governor whose jobs are all children of a permit that nobody can be asked to enlarge: its
/// window is that permit's points, and its jobs together are expected to hold no more memory than
/// is kept for it.
void hold_to(const OuterPermit& permit, GovernorOptions& options);

/// Takes the permit into a governor that has had no job yet, as a job that runs: its children start
/// on it whatever the sensors of that governor say, and one always does.
Permit adopt(const OuterPermit& permit, Governor& governor);

}  // namespace sluice::cli
