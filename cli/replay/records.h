#pragma once

#include <string>

#include "cli/replay/record.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

/// Seconds with at least one and at most nine decimals, exact: "0.0", "90.5".
void append_seconds(std::string& out, Duration time);

/// Appends the record as one JSON object and a line end. The same record gives the same bytes.
void append_json(std::string& out, const ReplayRecord& record);

/// The line above the table, and one line of it, without line ends.
std::string replay_table_head(const Style& style);
std::string replay_table_line(const ReplayRecord& record, const Style& style);

}  // namespace sluice::cli
