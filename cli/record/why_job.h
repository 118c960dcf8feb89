#pragma once

#include <string>
#include <vector>

#include "cli/record/story.h"

namespace sluice::cli {

/// A stretch of a job's wait with one reason.
struct WaitPhase {
  When from;
  Duration lasted{0};
  const record::JobWaits* why = nullptr;  ///< The first entry of it; null: no reason is on record.
};

/// The wait of a job in its order, up to its start or end, or to where the record ends.
/// Neighbours with the same reason are one.
std::vector<WaitPhase> phases_of(const JobStory& job, const When& record_end);

/// What bound a job, in lines for people; may hold foreign text.
std::vector<std::string> why_lines(const JobStory& job, const Story& story);
/// The same as one JSON object.
std::string why_json(const JobStory& job, const Story& story);

}  // namespace sluice::cli
