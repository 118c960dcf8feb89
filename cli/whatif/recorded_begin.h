#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/record/story.h"
#include "cli/whatif/recorded_events.h"
#include "config/scenario.h"

// The jobs that a record tells of at the moment at which a scenario begins.

namespace sluice::cli {

/// Whether the job had ended, or was lost, by then: it is not in the scenario.
bool was_over(const JobStory& story, const RecordedSpan& span);

/// Whether the job had started before: at the begin it runs, unless it was over.
bool had_started(const JobStory& story, const RecordedSpan& span);

/// Adds how long the job had run by then, with what it held, or how long it had waited.
void add_past(const JobStory& story, const RecordedSpan& span, ScenarioJob& job);

/// Whether a job came before another one, by their indices in the story, which tell only of those
/// of one moment: a job that is told again stands where the daemon told it.
bool came_before(const Story& story, std::size_t one, std::size_t other);

/// The jobs that waited then, by their indices in the story, in the order of their arrivals and
/// moves. Pure.
std::vector<std::size_t> waiting_at_begin(const Story& story, const RecordedSpan& span);

/// The index in the story of a job by its number; a number that the story lacks: no index of it.
using StoryIndex = std::function<std::size_t(JobId)>;

/// Whether the job never started because of one that it comes after and that the scenario lacks:
/// that one had failed before, or never started itself. Pure.
bool is_kept_waiting(const JobStory& job, const Story& story, const StoryIndex& index_of,
                     const RecordedSpan& span);

/// Sorts jobs by their times. Those of the begin are first, in this order: those that run, by their
/// starts; those that wait, as the ids in `waiting` stand; all others as they stood. If no job had
/// come before, none has waited.
void put_in_order(const std::vector<std::string>& waiting, std::vector<ScenarioJob>& jobs);

}  // namespace sluice::cli
