#include "cli/whatif/build_followers.h"

#include <iterator>

namespace sluice::cli {
namespace {

/// A process that a build starts later after another has ended was not waiting for that one.
constexpr Duration kLongestGap = std::chrono::seconds(1);

/// The queue of a build is a branch of another one.
bool is_of_build(const JobStory& story) {
  return story.facts.queue.text.find('/') != std::string::npos;
}

}  // namespace

void BuildFollowers::lead(const JobStory& story, std::optional<Duration> ended, ScenarioJob& job) {
  if (!story.submitted || !is_of_build(story) || !job.batch.empty()) return;
  std::multimap<Duration, Ended>& before = ended_[story.facts.queue.text];
  const auto next = before.upper_bound(job.at);
  if (next != before.begin()) {
    const auto last = std::prev(next);
    if (job.at - last->first <= kLongestGap) {
      job.follows = last->second.id;
      job.gap = job.at - last->first;
      job.at = last->second.known_at;
      before.erase(last);
    }
  }
  if (ended) before.emplace(*ended, Ended{job.request.id, job.at});
}

}  // namespace sluice::cli
