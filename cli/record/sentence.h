#pragma once

#include <string>

#include "cli/record/story.h"
#include "record/entry.h"
#include "sluice/refusal.h"

namespace sluice::cli {

/// An entry as a sentence without its time: "job build-17 waits: needs 30 points, 5 of 40 points
/// are free; place 2". Empty for one that says nothing to people. May hold foreign text.
std::string sentence_of(const record::Entry& entry, const JobNames& names);

std::string window_sentence(const record::WindowChanged& change);

/// "ended ok after 95.0 s: 0.8 cores, 1.5 expected; at most 512.0 MiB of memory, 1.0 GiB expected".
/// `start`: nullptr if it is unknown.
std::string end_sentence(const record::JobFinished& end, const record::JobStarted* start);

/// "1 point", "5 points".
std::string cost_text(Points cost);

/// Cores that it used on average.
double cores_of(const record::JobFinished& end);

}  // namespace sluice::cli
