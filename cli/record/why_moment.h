#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/record/occurrence.h"
#include "cli/record/story.h"
#include "cli/record/surroundings.h"

namespace sluice::cli {

/// The moment up to which `story` was told, in lines for people: window, usage, sensors, the jobs
/// that ran and those that waited, at most `most` of each, with their reasons. May hold foreign
/// text.
std::vector<std::string> moment_lines(const Story& story, record::WallTime moment,
                                      std::size_t most);
/// The same as one JSON object, with what surrounds the moment and the problems of the record.
std::string moment_json(const Story& story, const Surroundings& around, const Occurrence& shown,
                        const std::vector<std::string>& problems, std::size_t most);

}  // namespace sluice::cli
