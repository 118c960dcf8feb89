#include "cli/whatif/recorded_begin.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "cli/whatif/waiting_line.h"
#include "sluice/job.h"

namespace sluice::cli {
namespace {

bool is_by_begin(const When& when, const RecordedSpan& span) {
  return span.at(when) == Duration{0};
}

/// Whether the job had come and had neither started nor ended.
bool waits_at_begin(const JobStory& story, const RecordedSpan& span) {
  const bool is_known = story.submitted || story.start;
  const std::optional<When> first = story.first();
  const bool has_come = first && is_by_begin(*first, span);
  return is_known && has_come && !was_over(story, span) && !had_started(story, span);
}

/// What changes the line, in the order in which it happens; of one moment, in that of `What`.
struct Step {
  enum class What { comes, changes, goes };
  When when;
  What what = What::comes;
  std::size_t index = 0;
  const record::JobChanged* change = nullptr;

  auto key() const { return std::tie(when, what, index); }
};

void add_steps(const JobStory& story, std::size_t index, const RecordedSpan& span,
               std::vector<Step>& steps) {
  if (!story.submitted && !story.start) return;
  const std::optional<When> first = story.first();
  if (!first || !is_by_begin(*first, span)) return;
  using What = Step::What;
  steps.push_back({*first, What::comes, index});
  for (const JobStory::Change& each : story.changes) {
    if (is_by_begin(each.when, span))
      steps.push_back({each.when, What::changes, index, &each.facts});
  }
  if (had_started(story, span)) {
    steps.push_back({story.start->when, What::goes, index});
  } else if (was_over(story, span)) {
    steps.push_back({story.end ? story.end->when : *story.lost, What::goes, index});
  }
}

}  // namespace

bool was_over(const JobStory& story, const RecordedSpan& span) {
  if (story.end) return is_by_begin(story.end->when, span);
  return story.lost && is_by_begin(*story.lost, span);
}

bool came_before(const Story& story, std::size_t one, std::size_t other) {
  const std::optional<When> first = story.jobs()[one].first();
  const std::optional<When> second = story.jobs()[other].first();
  return first && second && std::tie(*first, one) < std::tie(*second, other);
}

bool had_started(const JobStory& story, const RecordedSpan& span) {
  return story.start && story.start->when < span.first;
}

void add_past(const JobStory& story, const RecordedSpan& span, ScenarioJob& job) {
  if (had_started(story, span)) {
    job.ran = between(story.start->when, span.first);
    job.holds = std::max(Points{1}, story.start->facts.cost);
  } else if (waits_at_begin(story, span)) {
    job.waited = between(*story.first(), span.first);
  }
}

std::vector<std::size_t> waiting_at_begin(const Story& story, const RecordedSpan& span) {
  const std::vector<JobStory>& jobs = story.jobs();
  const auto is_move = [&](const JobStory::Change& each) {
    return !each.facts.place.empty() && is_by_begin(each.when, span);
  };
  std::vector<std::size_t> waiting;
  bool has_moves = false;
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    if (!waits_at_begin(jobs[index], span)) continue;
    waiting.push_back(index);
    has_moves = has_moves || std::ranges::any_of(jobs[index].changes, is_move);
  }
  if (!has_moves) {
    std::ranges::sort(waiting,
                      [&](std::size_t a, std::size_t b) { return came_before(story, a, b); });
    return waiting;
  }
  std::vector<Step> steps;
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    add_steps(jobs[index], index, span, steps);
  }
  std::ranges::stable_sort(steps, [](const Step& a, const Step& b) { return a.key() < b.key(); });
  WaitingLine line;
  for (const Step& each : steps) {
    const JobStory& job = jobs[each.index];
    if (each.what == Step::What::comes) line.come(each.index, job.number, job.facts.queue.text);
    if (each.what == Step::What::changes) line.change(job.number, *each.change);
    if (each.what == Step::What::goes) line.go(job.number);
  }
  return line.indices();
}

bool is_kept_waiting(const JobStory& job, const Story& story, const StoryIndex& index_of,
                     const RecordedSpan& span) {
  if (job.start) return false;
  const bool runs_anyway = job.facts.on_failure == to_string(OnFailure::run);
  return std::ranges::any_of(job.facts.after, [&](JobId id) {
    const std::size_t index = index_of(id);
    if (index >= story.jobs().size()) return false;
    const JobStory& other = story.jobs()[index];
    if (other.waited_at_end()) return true;
    const bool has_failed =
        other.end && was_over(other, span) && other.end->facts.outcome != to_string(Outcome::ok);
    return has_failed && !runs_anyway;
  });
}

void put_in_order(const std::vector<std::string>& waiting, std::vector<ScenarioJob>& jobs) {
  std::map<std::string, std::size_t> places;
  for (const std::string& id : waiting) places.emplace(id, places.size());
  const auto place = [&](const ScenarioJob& job) {
    if (job.ran) return std::tuple(0, -job.ran->count(), std::size_t{0});
    const auto found = places.find(job.request.id);
    const int after_running = job.waited ? 1 : 2;
    return std::tuple(after_running, Duration::rep{0},
                      found == places.end() ? places.size() : found->second);
  };
  std::ranges::stable_sort(jobs, [&](const ScenarioJob& a, const ScenarioJob& b) {
    if (a.at != b.at || a.at > Duration{0}) return a.at < b.at;
    return place(a) < place(b);
  });
  // Jobs that all came as the scenario begins are jobs like any others.
  const auto is_older = [](const ScenarioJob& job) { return job.waited > Duration{0}; };
  if (std::ranges::any_of(jobs, is_older)) return;
  for (ScenarioJob& each : jobs) each.waited.reset();
}

}  // namespace sluice::cli
