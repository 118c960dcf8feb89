#pragma once

#include <string>
#include <vector>

#include "autoscale/fleet_controller.h"
#include "cli/terminal/terminal.h"
#include "service/api/view.h"

namespace sluice::cli {

/// The column headings; like a row, never wider than the terminal.
std::string autoscale_head(const Style& style);

/// One reconciliation: the observation, the decision and its reason (on a line of its own on a
/// narrow terminal), and problems below. Each line takes one row of the terminal.
std::vector<std::string> autoscale_lines(const ReconcileResult& result, const Instant& instant,
                                         const Style& style);

/// The same as one JSON object, with a newline.
std::string autoscale_json(const ReconcileResult& result, const Instant& instant);

/// The name of the decision's reason; "blind" if the fleet could not be observed.
std::string autoscale_reason(const ReconcileResult& result);

}  // namespace sluice::cli
