#pragma once

#include <functional>
#include <string>

#include "cli/terminal/terminal.h"
#include "config/scenario_autoscale.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice::cli {

/// What the autoscaler decided at one observation.
struct ScaleRecord {
  Duration t{0};
  ScaleDecision decision;
};

/// Decides on each observation in turn; what is decided counts as done at its time.
void replay_autoscaler(const AutoscaleScenario& scenario,
                       const std::function<void(const ScaleRecord&)>& on_record);

/// Appends the record as one JSON object and a line end. The same record gives the same bytes.
void append_json(std::string& out, const ScaleRecord& record);

/// The line above the table, and one line of it, without line ends.
std::string scale_table_head(const Style& style);
std::string scale_table_line(const ScaleRecord& record, const Style& style);

}  // namespace sluice::cli
