#include "cli/record/story.h"

#include <algorithm>
#include <chrono>

#include "base/enum_names.h"
#include "base/parse.h"
#include "cli/record/other_users.h"
#include "sluice/status.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

template <typename... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <typename... Each>
Overloaded(Each...) -> Overloaded<Each...>;

/// A restart reads the time of a submission from its file, by the wall clock after a reboot.
constexpr Duration kSameSubmission = std::chrono::minutes(1);

/// A daemon that stops closes the connections, and records that the jobs that hang on them have
/// ended; but it keeps them for the next daemon.
bool may_live_on(const JobStory& job) {
  return !job.end || job.end->facts.ended_by == "connection";
}

/// The time of what an entry of `told` tells of, whatever damage has made of it.
When when_of(TimePoint at, const When& told) {
  const auto number = [](auto time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
  };
  const std::uint64_t wall = number(told.wall) - (number(told.at) - number(at));
  return {at, record::WallTime(Duration(static_cast<std::int64_t>(wall))), told.boot};
}

}  // namespace

std::string wall_text(const When& when) { return rfc3339(when.wall); }

Duration between(const When& from, const When& to) {
  const Duration passed = from.boot == to.boot ? to.at - from.at : Duration(to.wall - from.wall);
  return std::max(passed, Duration{0});
}

std::string JobStory::name() const {
  return facts.id.text.empty() ? std::to_string(number.value) : facts.id.text;
}

const std::string& JobStory::queue() const {
  return changes.empty() ? facts.queue.text : queue_at(changes.back().when);
}

const std::string& JobStory::queue_at(const When& when) const {
  const std::string* queue = &facts.queue.text;
  for (const Change& each : changes) {
    // A job whose queue is hidden was submitted without one: it stays so wherever it was moved.
    const bool is_hidden = each.facts.queue && each.facts.queue->text == kHidden;
    if (each.facts.queue && !is_hidden && each.when <= when) queue = &each.facts.queue->text;
  }
  return *queue;
}

std::optional<Points> JobStory::cost() const {
  if (start) return start->facts.cost;
  return submitted ? std::optional(facts.cost) : std::nullopt;
}

std::optional<When> JobStory::first() const {
  if (submitted) return submitted;
  std::optional<When> first;
  const auto consider = [&](const When& when) { first = std::min(first.value_or(when), when); };
  if (!waits.empty()) consider(waits.front().when);
  if (!changes.empty()) consider(changes.front().when);
  if (start) consider(start->when);
  if (end) consider(end->when);
  return first;
}

JobStory& Story::living(JobId number) {
  const auto found = by_number_.find(number);
  const bool is_known = found != by_number_.end();
  const bool is_open = is_known && open_.contains(found->second);
  JobStory& story = is_known ? jobs_[found->second] : begin_job(number);
  if (!is_open && unnamed_ > 0) --unnamed_;
  story.lost.reset();
  story.end.reset();
  open_.insert(by_number_.at(number));
  return story;
}

void Story::replace(JobId number) {
  const auto found = by_number_.find(number);
  JobStory& story = jobs_[found->second];
  if (!story.end && !story.lost) story.lost = before_segment_ ? before_segment_ : last_;
  open_.erase(found->second);
  by_number_.erase(found);
}

JobStory& Story::begin_job(JobId number) {
  by_number_[number] = jobs_.size();
  open_.insert(jobs_.size());
  JobStory& story = jobs_.emplace_back();
  story.number = number;
  return story;
}

/// Each daemon begins a segment, and records the ends of jobs that it does not find before its own
/// start: they tell nothing of how long the daemon before recorded.
void Story::begin_segment(const record::SegmentStart& start) {
  if (start.boot != boot_) ++boots_;
  boot_ = start.boot;
  before_segment_ = last_;
}

void Story::begin_daemon(const record::DaemonEvent& started) {
  red_.clear();
  pressures_.clear();
  unnamed_ = 0;
  stopping_.reset();
  lose(before_segment_ ? before_segment_ : last_);
  if (!started.jobs) return;
  for (const JobId each : *started.jobs) {
    const auto found = by_number_.find(each);
    if (found != by_number_.end() && may_live_on(jobs_[found->second])) living(each);
  }
  give_up_lost();
}

void Story::restate(const When& when, const record::JobRestated& again) {
  const record::JobSubmitted& facts = again.submitted;
  const When arrived = when_of(again.arrived, when);
  const auto is_another = [&](const JobStory& known) {
    if (known.end && between(known.end->when, arrived) > kSameSubmission) return true;
    return known.submitted && std::max(between(*known.submitted, arrived),
                                       between(arrived, *known.submitted)) > kSameSubmission;
  };
  // A number may be given again.
  const auto found = by_number_.find(facts.job);
  if (found != by_number_.end() && is_another(jobs_[found->second])) replace(facts.job);
  JobStory& story = living(facts.job);
  if (!story.submitted) {
    story.submitted = arrived;
    story.facts = facts;
    story.restated = when;
    if (!facts.id.text.empty()) by_id_[facts.id.text] = by_number_.at(facts.job);
  }
  if (!again.started || story.start) return;
  story.start = {when_of(again.admitted, when), *again.started};
  story.is_start_restated = true;
}

void Story::restate(const record::Restated& all) {
  red_.clear();
  for (const record::SensorVerdict& each : all.red) red_.emplace(each.sensor.text, each);
  const auto is_named = [this](std::size_t each) { return !jobs_[each].lost; };
  const auto named = static_cast<std::uint64_t>(std::ranges::count_if(open_, is_named));
  // If fewer are named, some that were told are missing from the record, too.
  if (all.left_out == 0 && named >= all.jobs) give_up_lost();
  // Readers list the lost ones as well: some of them may be those that were left out.
  const std::uint64_t known = open_.size(), count = all.jobs + all.left_out;
  unnamed_ = count - std::min(known, count);
}

void Story::lose(const std::optional<When>& from) {
  for (const std::size_t each : open_) {
    if (!jobs_[each].lost) jobs_[each].lost = from;
  }
}

void Story::give_up_lost() {
  std::erase_if(open_, [this](std::size_t each) { return jobs_[each].lost.has_value(); });
}

void Story::add(const record::Dated& dated) {
  // It is written first, and is later than the entries that it was written for.
  if (const auto* start = std::get_if<record::SegmentStart>(&dated.entry)) {
    return begin_segment(*start);
  }
  const When when{dated.at, dated.wall, boots_};
  apply(when, dated.entry);
  last_ = when;
}

void Story::drop_ended() {
  std::set<JobId> open;
  for (const std::size_t each : open_) open.insert(jobs_[each].number);
  std::erase_if(jobs_, [this](const JobStory& each) {
    const bool is_kept = stopping_ && may_live_on(each) && each.end && each.end->when >= *stopping_;
    return each.end && !is_kept;
  });
  by_number_.clear();
  by_id_.clear();
  open_.clear();
  for (std::size_t at = 0; at < jobs_.size(); ++at) {
    by_number_[jobs_[at].number] = at;
    if (!jobs_[at].facts.id.text.empty()) by_id_[jobs_[at].facts.id.text] = at;
  }
  for (const auto& [number, at] : by_number_) {
    if (open.contains(number)) open_.insert(at);
  }
}

void Story::apply(const When& when, const record::Entry& entry) {
  std::visit(Overloaded{
                 [&](const record::JobSubmitted& each) {
                   JobStory& story = begin_job(each.job);
                   story.submitted = when;
                   story.facts = each;
                   if (!each.id.text.empty()) by_id_[each.id.text] = jobs_.size() - 1;
                 },
                 [&](const record::JobWaits& each) {
                   living(each.job).waits.push_back({when, each});
                 },
                 [&](const record::JobChanged& each) {
                   living(each.job).changes.push_back({when, each});
                 },
                 [&](const record::JobRestated& each) { restate(when, each); },
                 [&](const record::Restated& each) { restate(each); },
                 [&](const record::JobStarted& each) {
                   living(each.job).start = {when, each};
                 },
                 [&](const record::JobFinished& each) {
                   living(each.job).end = {when, each};
                   open_.erase(by_number_.at(each.job));
                 },
                 [&](const record::WindowChanged& each) {
                   // The next level comes within a second.
                   if (level_) level_->size = each.to;
                   // So does the verdict of the sensor that it was cut for.
                   if (each.cause == "red") {
                     red_.try_emplace(
                         each.sensor.text,
                         record::SensorVerdict{each.sensor, true, true, false, each.said});
                   }
                   window_ = each;
                   window_when_ = when;
                 },
                 [&](const record::SensorVerdict& each) {
                   red_.erase(each.sensor.text);
                   if (each.red) red_.emplace(each.sensor.text, each);
                 },
                 [&](const record::Level& each) { level_ = each; },
                 [&](const record::Pressures& each) {
                   for (const auto& [name, pressure] : each.of) pressures_[name.text] = pressure;
                 },
                 [&](const record::Gap& each) {
                   lost_ += each.lost;
                   lose(last_);
                 },
                 [&](const record::DaemonEvent& each) {
                   if (each.what == "started") begin_daemon(each);
                   if (each.what == "stopping") stopping_ = when;
                 },
                 [](const record::SegmentStart&) {},
                 [](const record::Configured&) {},
                 [](const record::GovernorCall&) {},
             },
             entry);
}

const JobStory* Story::find(std::string_view id) const {
  if (const auto found = by_id_.find(id); found != by_id_.end()) return &jobs_[found->second];
  const auto number = parse_u64(id);
  if (!number) return nullptr;
  const auto found = by_number_.find(JobId{*number});
  return found == by_number_.end() ? nullptr : &jobs_[found->second];
}

std::string Story::name_of(JobId number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::to_string(number.value) : jobs_[found->second].name();
}

Refusal refusal_of(const record::JobWaits& wait) {
  Refusal refusal;
  refusal.code = find_named<RefusalCode>(wait.code, kRefusalCodes).value_or(refusal.code);
  refusal.binding = wait.binding.text;
  refusal.cost = wait.cost;
  refusal.usage = wait.usage;
  refusal.size = wait.size;
  refusal.ahead = wait.ahead;
  refusal.needs = wait.needs;
  refusal.free = wait.free;
  refusal.total = wait.total;
  return refusal;
}

}  // namespace sluice::cli
