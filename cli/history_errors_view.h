#pragma once

#include <string>

#include "costmodel/prediction_errors.h"

namespace sluice::cli {

/// Which keys to list; the others are summed up.
enum class ErrorRows { worst, all };

/// A table of keys, the worst first, and a sentence on all runs.
std::string errors_text(const PredictionErrors& errors, ErrorRows rows);
/// All keys as one JSON object.
std::string errors_json(const PredictionErrors& errors);

}  // namespace sluice::cli
