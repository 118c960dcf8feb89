#include "cli/record/trace.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

#include "base/json_writer.h"
#include "cli/record/sentence.h"
#include "cli/record/why_job.h"

namespace sluice::cli {
namespace {

std::int64_t micros(Duration duration) {
  return std::chrono::floor<std::chrono::microseconds>(duration).count();
}

/// The times of a job's slices: that of the first on the wall clock, and for the others the time
/// since then on the monotonic clock. The wall clock may be set, and each block reads it again.
auto times_from(const When& first) {
  return [first, begin = micros(first.wall.time_since_epoch())](const When& when) {
    return begin + micros(between(first, when));
  };
}

void write_process(JsonWriter& json, std::size_t number, const std::string& name) {
  json.begin_object().member("ph", "M").member("pid", number).member("name", "process_name");
  json.key("args").begin_object().member("name", name).end_object().end_object();
}

/// Queues are processes from 1 on; the counters are process 0.
class Lanes {
 public:
  struct Place {
    std::size_t process = 0, thread = 0;
  };

  /// A lane of the queue that is free from `from` on, and is taken up to `to`: both in
  /// microseconds, as the slices have them.
  Place place(const std::string& queue, std::int64_t from, std::int64_t to) {
    const auto [found, is_new] = queues_.try_emplace(queue);
    if (is_new) found->second.process = queues_.size();
    std::vector<std::int64_t>& ends = found->second.ends;
    auto lane = std::ranges::find_if(ends, [&](std::int64_t end) { return end <= from; });
    if (lane == ends.end()) lane = ends.insert(ends.end(), to);
    *lane = to;
    return {found->second.process, static_cast<std::size_t>(lane - ends.begin()) + 1};
  }

  void write_names(JsonWriter& json) const {
    for (const auto& [name, queue] : queues_) {
      write_process(json, queue.process, "queue " + (name.empty() ? "default" : name));
    }
  }

 private:
  struct Queue {
    std::size_t process = 0;
    std::vector<std::int64_t> ends;  ///< By lane.
  };
  std::map<std::string, Queue> queues_;
};

struct Slice {
  std::string name, category, detail;
  std::int64_t from = 0, to = 0;  ///< Microseconds since 1970.
};

void write_slice(JsonWriter& json, const Lanes::Place& place, const Slice& slice,
                 const std::string& job) {
  json.begin_object().member("ph", "X").member("pid", place.process).member("tid", place.thread);
  json.member("name", slice.name).member("cat", slice.category);
  json.member("ts", slice.from).member("dur", slice.to - slice.from);
  json.key("args").begin_object().member("job", job).member("detail", slice.detail);
  json.end_object().end_object();
}

/// A job's time in one queue: slices in the order of time, disjoint.
struct Stay {
  std::string queue, job;
  std::vector<Slice> slices;

  std::int64_t from() const { return slices.front().from; }
  std::int64_t to() const { return slices.back().to; }
};

/// Adds a slice from `from` to `to`, but not before the end of the last one.
void append(std::vector<Stay>& stays, const JobStory& job, const When& when, Slice slice) {
  if (!stays.empty()) slice.from = std::max(slice.from, stays.back().to());
  slice.to = std::max(slice.from, slice.to);
  const std::string& queue = job.queue_at(when);
  if (stays.empty() || stays.back().queue != queue) stays.push_back({queue, job.name(), {}});
  stays.back().slices.push_back(std::move(slice));
}

/// The phases, each parted where the job was moved to another queue.
std::vector<WaitPhase> parted_by_queue(const std::vector<WaitPhase>& phases, const JobStory& job) {
  std::vector<WaitPhase> parts;
  for (const WaitPhase& phase : phases) {
    parts.push_back(phase);
    for (const JobStory::Change& each : job.changes) {
      WaitPhase& last = parts.back();
      const Duration before = between(last.from, each.when);
      if (!each.facts.queue || before == Duration{0} || before >= last.lasted) continue;
      const WaitPhase rest{each.when, last.lasted - before, last.why};
      last.lasted = before;
      parts.push_back(rest);
    }
  }
  return parts;
}

void append_waits(std::vector<Stay>& stays, const JobStory& job,
                  const std::vector<WaitPhase>& phases, const auto& time_of,
                  const JobNames& names) {
  for (const WaitPhase& phase : parted_by_queue(phases, job)) {
    if (phase.lasted < std::chrono::milliseconds(1)) continue;
    const std::int64_t from = time_of(phase.from);
    append(stays, job, phase.from,
           {"waits: " + (phase.why ? phase.why->code : "?"), "wait",
            phase.why ? to_sentence(refusal_of(*phase.why), names) : "", from,
            from + micros(phase.lasted)});
  }
}

/// When it ended as far as the record says.
const When& end_of(const JobStory& job, const Story& story) {
  return job.end ? job.end->when : job.lost ? *job.lost : *story.last();
}

/// In the order of time, and disjoint. A job that runs stays in its queue.
std::vector<Stay> stays_of(const JobStory& job, const Story& story) {
  std::vector<Stay> stays;
  const std::vector<WaitPhase> phases = phases_of(job, *story.last());
  if (phases.empty() && !job.start) return stays;
  const auto time_of = times_from(phases.empty() ? job.start->when : phases.front().from);
  append_waits(stays, job, phases, time_of, story.names());
  if (!job.start) return stays;
  const char* const without_end = job.lost ? "its end is not on record" : "still runs";
  const std::string& key = job.facts.key.text;
  append(stays, job, job.start->when,
         {job.name() + (key.empty() || key == job.name() ? "" : " " + key), "run",
          job.end ? end_sentence(job.end->facts, &job.start->facts) : without_end,
          time_of(job.start->when), time_of(end_of(job, story))});
  return stays;
}

}  // namespace

void Trace::add(const record::Dated& dated, Side side) {
  if (side == Side::after) return;
  story_.add(dated);
  if (side == Side::before) before_ = story_.last();
  if (side == Side::within) add_counters(dated);
}

void Trace::add_counters(const record::Dated& dated) {
  const std::int64_t at = micros(dated.wall.time_since_epoch());
  const auto counter = [&](std::string_view name, auto&& values) {
    counters_ += ',';
    JsonWriter event(counters_);
    event.begin_object().member("ph", "C").member("pid", 0).member("name", name);
    event.member("ts", at).key("args").begin_object();
    values(event);
    event.end_object().end_object();
  };
  if (const auto* level = std::get_if<record::Level>(&dated.entry)) {
    counter("window", [&](JsonWriter& to) {
      to.member("points", level->size).member("in use", level->usage);
    });
    counter("jobs", [&](JsonWriter& to) {
      to.member("run", level->running).member("wait", level->pending);
    });
    if (level->busy) {
      counter("busy",
              [&](JsonWriter& to) { to.member("CPUs", record::from_thousandths(*level->busy)); });
    }
  } else if (const auto* pressures = std::get_if<record::Pressures>(&dated.entry)) {
    for (const auto& [name, pressure] : pressures->of) {
      counter("pressure of " + name.text, [&, part = pressure](JsonWriter& to) {
        to.member("of its limit", record::from_thousandths(part));
      });
    }
  } else if (std::holds_alternative<record::WindowChanged>(dated.entry) ||
             std::holds_alternative<record::SensorVerdict>(dated.entry) ||
             std::holds_alternative<record::DaemonEvent>(dated.entry)) {
    counters_ += ',';
    JsonWriter json(counters_);
    json.begin_object().member("ph", "i").member("s", "g").member("pid", 0).member("tid", 0);
    json.member("name", sentence_of(dated.entry, {})).member("ts", at);
    json.end_object();
  }
}

std::string Trace::json() const {
  std::string text;
  JsonWriter json(text);
  Lanes lanes;
  json.begin_object().member("displayTimeUnit", "ms").key("traceEvents").begin_array();
  write_process(json, 0, "sluice");
  std::vector<Stay> stays;
  for (const JobStory& job : story_.jobs()) {
    const bool is_over = job.end || job.lost;
    if (is_over && before_ && end_of(job, story_) <= *before_) continue;
    std::ranges::move(stays_of(job, story_), std::back_inserter(stays));
  }
  // A job that was moved comes to its queue later than jobs that were submitted after it.
  std::ranges::stable_sort(stays, {}, &Stay::from);
  for (const Stay& stay : stays) {
    const Lanes::Place place = lanes.place(stay.queue, stay.from(), stay.to());
    for (const Slice& each : stay.slices) write_slice(json, place, each, stay.job);
  }
  lanes.write_names(json);
  text += counters_;
  json.end_array().end_object();
  return text + "\n";
}

}  // namespace sluice::cli
