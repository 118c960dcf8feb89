#pragma once

#include <string>
#include <vector>

#include "cli/record/story.h"

namespace sluice::cli {

/// The moment up to which `story` was told, in lines for people: window, usage, sensors, the jobs
/// that ran and those that waited, with their reasons. May hold foreign text.
std::vector<std::string> moment_lines(const Story& story, record::WallTime moment);
/// The same as one JSON object, with every job.
std::string moment_json(const Story& story, record::WallTime moment);

}  // namespace sluice::cli
