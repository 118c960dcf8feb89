#pragma once

#include <string>
#include <vector>

#include "autoscale/fleet_keeper.h"
#include "cli/terminal/terminal.h"
#include "service/api/view.h"

namespace sluice::cli {

/// The names of the columns; as a look, never wider than the terminal.
std::string autoscale_head(const Style& style);

/// One look: what was seen, what was decided and why (on a narrow terminal on a line of its own),
/// and below it what went otherwise than it should. Each takes one row of the terminal.
std::vector<std::string> autoscale_lines(const FleetRound& round, const Instant& instant,
                                         const Style& style);

/// The same as one JSON object, with the end of the line.
std::string autoscale_json(const FleetRound& round, const Instant& instant);

/// The name of the decision's reason; "blind" also where the fleet could not be seen.
std::string autoscale_reason(const FleetRound& round);

}  // namespace sluice::cli
