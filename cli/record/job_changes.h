#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "cli/record/story.h"
#include "record/job_entry.h"
#include "sluice/refusal.h"

namespace sluice::cli {

/// "priority set to 9, moved before build-3 by user 1000". May hold foreign text.
std::string change_text(const record::JobChanged& change, const JobNames& names);

/// Each change of the job with its time, after a title; empty if nobody has changed it.
std::vector<std::string> change_lines(const JobStory& job, const Story& story);

/// "changes", an array, of an object that is open.
void write_changes(JsonWriter& json, const JobStory& job, const Story& story);

/// What a job asked for besides points and priority: ", with the global lock, nice 5"; or "".
std::string demands_text(const record::JobSubmitted& facts);

/// "global_lock", "reasons", "on_failure" and "nice" of an object that is open; null is unknown.
void write_demands(JsonWriter& json, const record::JobSubmitted& facts);

}  // namespace sluice::cli
