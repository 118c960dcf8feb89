#pragma once

#include <string>
#include <vector>

#include "costmodel/history.h"

namespace sluice::cli {

// The output of `sluice history`, from plain values. `now`: seconds since 1970, for ages.

/// A table for people, one line for each key, most recent first. Shows users if there are several.
std::string history_table(std::vector<History::Summary> summaries, std::int64_t now);

/// One key with its runs, newest first.
std::string history_detail(const History::Summary& summary, const std::vector<Sample>& runs,
                           std::int64_t now);

/// The same as one JSON object and a newline; bytes and seconds.
std::string history_json(const std::vector<History::Summary>& summaries);
std::string history_json(const History::Summary& summary, const std::vector<Sample>& runs);

/// The forgotten keys, for people and as JSON.
std::string forgotten_text(const std::vector<ForgottenKey>& forgotten);
std::string forgotten_json(const std::vector<ForgottenKey>& forgotten);

}  // namespace sluice::cli
