#pragma once

#include <string>
#include <vector>

#include "record/folder.h"

namespace sluice::cli {

/// Which record to read.
struct RecordPlace {
  std::string config, state_dir;
  std::string socket = {};  ///< Of the daemon to ask for its record; empty: the usual search.
  std::string record = {};  ///< The folder of the record itself, if it is known.
};

/// The folder of the record, opened. Throws std::runtime_error if there is none.
record::RecordFolder open_record(const RecordPlace& place);

/// Prints a line about every segment that is not whole, on standard error.
void warn_of_problems(const std::vector<record::ReadSegment>& segments,
                      const record::RecordFolder& folder);

}  // namespace sluice::cli
