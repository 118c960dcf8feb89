#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/permit_variables.h"
#include "sluice/governor.h"
#include "sluice/options.h"
#include "sluice/permit.h"
#include "sluice/units.h"

namespace sluice::cli {

/// The permit of another governor that this process runs on, as its environment says.
struct OuterPermit {
  Points points;
  std::optional<Bytes> memory;  ///< Reserved for it; nullopt if nothing is.
  std::string socket;           ///< Of the daemon that granted it; empty if no one can grant more.
};

/// The permit in these variables; nullopt if they are missing or make no sense. `variable` returns
/// the value of one, or null. Pure.
std::optional<OuterPermit> outer_permit(const std::function<const char*(const char*)>& variable);
/// The same for this process.
std::optional<OuterPermit> outer_permit();

/// Sets the `parent` of a submit to the permit on which this process runs; empty if its environment
/// names none.
void add_parent(boost::json::object& body);

/// Sets all three variables, so that no value of an outer permit remains.
void tell(const OuterPermit& permit, std::map<std::string, std::string>& environment);

/// Configures a governor whose jobs are all children of a permit that no one can enlarge: its
/// window is that permit's points, and its jobs together are expected to hold no more memory than
/// is reserved for the permit.
void hold_to(const OuterPermit& permit, GovernorOptions& options);

/// Adopts the permit as a running job of a governor that has had no job yet: the permit's children
/// start within it whatever that governor's sensors say, and one always may.
Permit adopt(const OuterPermit& permit, Governor& governor);

}  // namespace sluice::cli
