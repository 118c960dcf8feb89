#pragma once

#include <string>
#include <vector>

#include "record/folder.h"

namespace sluice::cli {

/// The segments of a record as a table for people: when, how many entries, how large; below each
/// its gaps and problems.
std::string segment_table(const std::vector<record::ReadSegment>& segments);
/// The same as one JSON object.
std::string segments_json(const std::string& folder,
                          const std::vector<record::ReadSegment>& segments);

}  // namespace sluice::cli
