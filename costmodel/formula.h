#pragma once

#include "sluice/job.h"
#include "sluice/options.h"

namespace sluice {

/// Throws std::invalid_argument, naming the field, if an option is out of range.
void check_cost(const CostOptions& options);

/// base + per_node x inventory, at least `minimum` (5 if unset) and at most `kMostPoints`.
/// Source: "Zuul executor congestion control", mailing-list post of 2018-01-16, with 5 and 5.
///
/// Inventory 0 gives the cheapest job of all, although a job without nodes of its own does all its
/// work on the executor: such jobs should declare their cost.
Points formula(const CostOptions& options, int inventory);

/// Whether the options choose the history of earlier runs instead: by default under every law but
/// `rfc`.
bool learns(const CostOptions& options, Law law);

/// The formula as a cost model.
CostModel formula_model(const CostOptions& options);

}  // namespace sluice
