#pragma once

#include <functional>
#include <string>

#include "cli/terminal/terminal.h"
#include "config/scenario_autoscale.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice::cli {

/// The autoscaler's decision at one observation.
struct ScaleRecord {
  Duration t{0};
  ScaleDecision decision;
};

/// Decides on each observation in turn; each decision counts as carried out at once.
void replay_autoscaler(const AutoscaleScenario& scenario,
                       const std::function<void(const ScaleRecord&)>& on_record);

/// Appends the record as one JSON object and a newline. Equal records give equal bytes.
void append_json(std::string& out, const ScaleRecord& record);

/// The heading of the table, and one row of it, without newlines.
std::string scale_table_head(const Style& style);
std::string scale_table_line(const ScaleRecord& record, const Style& style);

}  // namespace sluice::cli
