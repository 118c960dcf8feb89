#pragma once

#include "metrics/statsd_lines.h"
#include "sluice/status.h"

namespace sluice {

/// Appends the lines under the names that Zuul's executors use, without the prefix.
void append_zuul_lines(StatsdLines& lines, const Status& now, const Status& previous);

}  // namespace sluice
