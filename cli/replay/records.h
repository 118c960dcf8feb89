#pragma once

#include <string>

#include "cli/replay/record.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

/// Seconds with one to nine decimals, exact: "0.0", "90.5".
std::string exact_seconds(Duration time);

/// Appends the record as one JSON object and a newline. Equal records give equal bytes.
void append_json(std::string& out, const ReplayRecord& record);

/// The heading of the table, and one row of it, without newlines.
std::string replay_table_head(const Style& style);
std::string replay_table_line(const ReplayRecord& record, const Style& style);

}  // namespace sluice::cli
