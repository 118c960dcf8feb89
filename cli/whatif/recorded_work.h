#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/record/story.h"
#include "record/segment.h"

namespace sluice::cli {

/// What a record says of its jobs, and of everything around them that a model needs.
class RecordedWork {
 public:
  template <typename What>
  using Series = std::vector<std::pair<When, What>>;

  /// In the order of the record.
  void add(const record::Dated& dated);

  const std::vector<JobStory>& jobs() const { return story_.jobs(); }
  const Story& story() const { return story_; }
  const Series<record::Level>& levels() const { return levels_; }
  const Series<record::Configured>& configurations() const { return configurations_; }
  const Series<record::Pressures>& pressures() const { return pressures_; }
  /// What operators did: "paused", "queue nightly paused".
  const Series<std::string>& operations() const { return operations_; }
  /// Entries that are missing, by when they were.
  const Series<record::Gap>& gaps() const { return gaps_; }

 private:
  Story story_;
  Series<record::Level> levels_;
  Series<record::Configured> configurations_;
  Series<record::Pressures> pressures_;
  Series<std::string> operations_;
  Series<record::Gap> gaps_;
};

}  // namespace sluice::cli
