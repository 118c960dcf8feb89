#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/record/story.h"
#include "record/segment.h"

namespace sluice::cli {

/// What a record says of its jobs, and of everything around them that a model needs.
struct RecordedWork {
  template <typename What>
  using Series = std::vector<std::pair<When, What>>;

  Story story;  ///< Of the jobs.
  Series<record::Level> levels;
  Series<record::Configured> configurations;
  Series<record::Pressures> pressures;
  Series<std::string> operations;  ///< What operators did: "paused", "queue nightly paused".
  Series<record::Gap> gaps;        ///< Entries that are missing, by when they were.

  /// In the order of the record.
  void add(const record::Dated& dated);
};

}  // namespace sluice::cli
