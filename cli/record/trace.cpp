#include "cli/record/trace.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/json_writer.h"
#include "cli/record/sentence.h"
#include "cli/record/why_job.h"

namespace sluice::cli {
namespace {

using record::WallTime;

std::int64_t micros(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

/// Queues are processes from 1 on; the counters are process 0.
class Lanes {
 public:
  struct Place {
    std::size_t process = 0, thread = 0;
  };

  /// A lane of the queue that is free from `from` on, and is taken up to `to`.
  Place place(const std::string& queue, WallTime from, WallTime to) {
    const auto [found, is_new] = queues_.try_emplace(queue);
    if (is_new) found->second.process = queues_.size();
    std::vector<WallTime>& ends = found->second.ends;
    auto lane = std::ranges::find_if(ends, [&](WallTime end) { return end <= from; });
    if (lane == ends.end()) lane = ends.insert(ends.end(), to);
    *lane = to;
    return {found->second.process, static_cast<std::size_t>(lane - ends.begin()) + 1};
  }

  void write_names(JsonWriter& json) const {
    for (const auto& [name, queue] : queues_) {
      json.begin_object().member("ph", "M").member("pid", queue.process);
      json.member("name", "process_name").key("args").begin_object();
      json.member("name", "queue " + (name.empty() ? "default" : name)).end_object().end_object();
    }
  }

 private:
  struct Queue {
    std::size_t process = 0;
    std::vector<WallTime> ends;  ///< By lane.
  };
  std::map<std::string, Queue> queues_;
};

struct Slice {
  std::string name, category, detail;
  WallTime from, to;
};

void write_slice(JsonWriter& json, const Lanes::Place& place, const Slice& slice) {
  json.begin_object().member("ph", "X").member("pid", place.process).member("tid", place.thread);
  json.member("name", slice.name).member("cat", slice.category).member("ts", micros(slice.from));
  json.member("dur", std::max<std::int64_t>(micros(slice.to) - micros(slice.from), 0));
  json.key("args").begin_object().member("detail", slice.detail).end_object().end_object();
}

std::vector<Slice> slices_of(const JobStory& job, const Story& story) {
  std::vector<Slice> slices;
  const JobNames names = [&](JobId other) { return story.name_of(other); };
  for (const WaitPhase& phase : phases_of(job, *story.last())) {
    if (phase.lasted < std::chrono::milliseconds(1)) continue;
    slices.push_back({"waits: " + (phase.why ? phase.why->code : "?"), "wait",
                      phase.why ? to_sentence(refusal_of(*phase.why), names) : "", phase.from.wall,
                      phase.from.wall + phase.lasted});
  }
  if (!job.start) return slices;
  const WallTime end = job.end    ? job.end->when.wall
                       : job.lost ? job.lost->wall
                                  : story.last()->wall;
  const char* const without_end = job.lost ? "its end is not on record" : "still runs";
  const std::string& key = job.facts.key.text;
  slices.push_back({job.name() + (key.empty() || key == job.name() ? "" : " " + key), "run",
                    job.end ? end_sentence(job.end->facts, &job.start->facts) : without_end,
                    job.start->when.wall, end});
  return slices;
}

}  // namespace

void Trace::add(const record::Dated& dated) {
  if (dated.wall > to_) return;
  story_.add(dated);
  if (dated.wall >= from_) add_counters(dated);
}

void Trace::add_counters(const record::Dated& dated) {
  std::string text;
  JsonWriter json(text);
  const auto counter = [&](std::string_view name, auto&& values) {
    text += ',';
    JsonWriter event(text);
    event.begin_object().member("ph", "C").member("pid", 0).member("name", name);
    event.member("ts", micros(dated.wall)).key("args").begin_object();
    values(event);
    event.end_object().end_object();
  };
  if (const auto* level = std::get_if<record::Level>(&dated.entry)) {
    counter("window", [&](JsonWriter& to) {
      to.member("points", level->size.value).member("in use", level->usage.value);
    });
    counter("jobs", [&](JsonWriter& to) {
      to.member("run", level->running).member("wait", level->pending);
    });
    if (level->busy) {
      counter("busy",
              [&](JsonWriter& to) { to.member("CPUs", static_cast<double>(*level->busy) / 1000); });
    }
  } else if (const auto* pressures = std::get_if<record::Pressures>(&dated.entry)) {
    for (const auto& [name, pressure] : pressures->of) {
      counter("pressure of " + name.text, [&, part = pressure](JsonWriter& to) {
        to.member("of its limit", static_cast<double>(part) / 1000);
      });
    }
  } else if (std::holds_alternative<record::WindowChanged>(dated.entry) ||
             std::holds_alternative<record::SensorVerdict>(dated.entry) ||
             std::holds_alternative<record::DaemonEvent>(dated.entry)) {
    text += ',';
    json.begin_object().member("ph", "i").member("s", "g").member("pid", 0).member("tid", 0);
    json.member("name", sentence_of(dated.entry, {})).member("ts", micros(dated.wall));
    json.end_object();
  }
  counters_ += text;
}

std::string Trace::json() const {
  std::string text;
  JsonWriter json(text);
  Lanes lanes;
  json.begin_object().member("displayTimeUnit", "ms").key("traceEvents").begin_array();
  json.begin_object().member("ph", "M").member("pid", 0).member("name", "process_name");
  json.key("args").begin_object().member("name", "sluice").end_object().end_object();
  for (const JobStory& job : story_.jobs()) {
    const std::vector<Slice> slices = slices_of(job, story_);
    if (slices.empty() || slices.back().to < from_) continue;
    const Lanes::Place place =
        lanes.place(job.facts.queue.text, slices.front().from, slices.back().to);
    for (const Slice& each : slices) write_slice(json, place, each);
  }
  lanes.write_names(json);
  text += counters_;
  json.end_array().end_object();
  return text + "\n";
}

}  // namespace sluice::cli
