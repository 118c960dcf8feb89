#include "cli/record/why_job.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/record/job_changes.h"
#include "cli/record/moment.h"
#include "cli/record/sentence.h"
#include "cli/terminal/terminal.h"
#include "sluice/prediction.h"
#include "status/refusal_json.h"

namespace sluice::cli {
namespace {

/// The daemon asks why jobs wait about once a second, so a first reason as young as this stands for
/// the time before it.
constexpr Duration kFirstReason = std::chrono::seconds(3);

/// The time that a start takes at the most, without a wait.
constexpr Duration kAtOnce = std::chrono::milliseconds(50);

const When& end_of_wait(const JobStory& job, const When& record_end) {
  if (job.start) return job.start->when;
  return job.end ? job.end->when : job.lost ? *job.lost : record_end;
}

bool is_same(const record::JobWaits& one, const record::JobWaits& other) {
  return one.code == other.code && one.binding == other.binding && one.ahead == other.ahead;
}

std::string reason_text(const WaitPhase& phase, const JobNames& names) {
  if (!phase.why) return "no reason is on record";
  return to_sentence(refusal_of(*phase.why), names) + "; place " + std::to_string(phase.why->place);
}

std::string total_text(const std::vector<WaitPhase>& phases) {
  std::map<std::string, Duration> totals;
  for (const WaitPhase& each : phases) {
    if (!each.why) continue;
    const std::string& binding = each.why->binding.text;
    const std::string reason =
        each.why->code + (binding.empty() || binding == each.why->code ? "" : " (" + binding + ")");
    totals[reason] += each.lasted;
  }
  if (totals.size() < 2 || totals.size() == phases.size()) return "";
  std::vector<std::pair<std::string, Duration>> sorted(totals.begin(), totals.end());
  std::ranges::sort(sorted, std::greater{}, &std::pair<std::string, Duration>::second);
  std::string text;
  for (const auto& [reason, lasted] : sorted) {
    text += (text.empty() ? "" : ", ") + duration_text(lasted) + " for " + reason;
  }
  return "In total: " + text + ".";
}

std::string headline(const JobStory& job) {
  std::string text = "job " + std::to_string(job.number.value);
  if (!job.facts.id.text.empty()) text += " (" + job.facts.id.text + ")";
  if (!job.submitted) {
    return text + ": its submission is not on record" +
           (job.start ? "." : ", so its points are unknown.");
  }
  text += " was submitted at " + local_time(job.submitted->wall);
  if (!job.facts.queue.text.empty()) text += " to queue " + job.facts.queue.text;
  if (!job.facts.key.text.empty()) text += " with key " + job.facts.key.text;
  text += ": " + cost_text(job.facts.cost);
  if (job.facts.priority != 0) text += ", priority " + std::to_string(job.facts.priority);
  return text + demands_text(job.facts) + ".";
}

/// Whether it started so soon, and without a reason, that it has not waited.
bool is_at_once(const JobStory& job, const std::vector<WaitPhase>& phases) {
  return phases.size() == 1 && !phases.front().why && phases.front().lasted <= kAtOnce &&
         (job.start || job.end);
}

void append_wait(std::vector<std::string>& lines, const JobStory& job, const Story& story) {
  const std::vector<WaitPhase> phases = phases_of(job, *story.last());
  if (phases.empty()) return;
  if (is_at_once(job, phases)) {
    lines.emplace_back("It did not wait.");
    return;
  }
  Duration waited{0};
  for (const WaitPhase& each : phases) waited += each.lasted;
  lines.push_back((job.waited_at_end() ? "It waits, so far " : "It waited ") +
                  duration_text(waited) + ":");
  for (const WaitPhase& each : phases) {
    lines.push_back("  " + local_time(each.from.wall).substr(11) + "  " +
                    padded_left(duration_text(each.lasted), 12) + "  " +
                    reason_text(each, story.names()));
  }
  if (std::string total = total_text(phases); !total.empty()) lines.push_back(std::move(total));
}

void write_phase(JsonWriter& json, const WaitPhase& phase, const JobNames& names) {
  json.begin_object().member("from", wall_text(phase.from)).member("seconds", phase.lasted);
  if (phase.why) {
    const record::JobWaits& why = *phase.why;
    json.member("code", why.code).member("binding", why.binding.text).member("place", why.place);
    json.member("cost", why.cost).member("usage", why.usage).member("window", why.size);
    write_amounts(json, refusal_of(why));
    json.member("ahead", why.ahead == JobId{} ? std::nullopt : std::optional(why.ahead.value));
  }
  json.member("message", reason_text(phase, names)).end_object();
}

/// Empty for a job that has not waited.
void write_waits(JsonWriter& json, const JobStory& job, const Story& story) {
  std::vector<WaitPhase> phases = phases_of(job, *story.last());
  if (is_at_once(job, phases)) phases.clear();
  json.list("waits", phases,
            [&](const WaitPhase& each) { write_phase(json, each, story.names()); });
}

/// In parentheses; empty for a rung that a record of an earlier Sluice lacks.
std::string kept_by(const std::string& rung) {
  return rung.empty() ? "" : " (" + known_by(rung) + ")";
}

void write_start(JsonWriter& json, const JobStory& job) {
  const record::JobStarted& facts = job.start->facts;
  const bool is_known = !job.is_start_restated;
  json.begin_object().member("at", wall_text(job.start->when)).member("cost", facts.cost);
  json.member("usage", is_known ? std::optional(facts.usage) : std::nullopt);
  json.member("window", is_known ? std::optional(facts.size) : std::nullopt);
  json.member("memory_kept", facts.kept).member("expected_memory", facts.expected_memory);
  json.member("expected_seconds", facts.expected_time);
  json.member("expected_cores", record::from_thousandths(facts.expected_millicores));
  json.member_or_null("rung", facts.rung).end_object();
}

void write_end(JsonWriter& json, const JobStory::End& end) {
  const record::JobFinished& facts = end.facts;
  json.begin_object().member("at", wall_text(end.when));
  json.member("outcome", facts.outcome).member("ended_by", facts.ended_by);
  json.member_or_null("refusal", facts.refusal);
  // Without a measure, the record has zeros.
  const record::JobFinished* used = facts.measured ? &facts : nullptr;
  json.member("measured", facts.measured).member("seconds", used, &record::JobFinished::wall);
  json.member("cores", used, cores_of).member("peak_memory", used, &record::JobFinished::peak);
  json.end_object();
}

}  // namespace

std::vector<WaitPhase> phases_of(const JobStory& job, const When& record_end) {
  std::vector<WaitPhase> phases;
  if (job.submitted) phases.push_back({*job.submitted, {}, nullptr});
  for (const JobStory::Wait& each : job.waits) {
    const WaitPhase* last = phases.empty() ? nullptr : &phases.back();
    if (last && last->why && is_same(*last->why, each.facts)) continue;
    if (last && !last->why && between(last->from, each.when) <= kFirstReason) {
      phases.back().why = &each.facts;
    } else {
      phases.push_back({each.when, {}, &each.facts});
    }
  }
  const When& end = end_of_wait(job, record_end);
  for (std::size_t at = 0; at < phases.size(); ++at) {
    const bool is_last = at + 1 == phases.size();
    phases[at].lasted = between(phases[at].from, is_last ? end : phases[at + 1].from);
  }
  return phases;
}

std::vector<std::string> why_lines(const JobStory& job, const Story& story) {
  std::vector<std::string> lines{headline(job)};
  if (job.restated) {
    lines.push_back("The record has it only as it was at " + local_time(job.restated->wall) + ".");
  }
  append_wait(lines, job, story);
  for (std::string& each : change_lines(job, story)) lines.push_back(std::move(each));
  const record::JobStarted* start = job.start ? &job.start->facts : nullptr;
  if (start) {
    lines.push_back(
        "It started at " + local_time(job.start->when.wall) + " with " + cost_text(start->cost) +
        (job.is_start_restated ? ""
                               : "; then " + std::to_string(start->usage.value) + " of " +
                                     std::to_string(start->size.value) + " were in use") +
        (start->kept.value == 0 ? "."
                                : ", and " + bytes_text(start->kept) +
                                      " of memory was kept for it" + kept_by(start->rung) + "."));
  }
  if (job.end) {
    lines.push_back("At " + local_time(job.end->when.wall) + " it " +
                    end_sentence(job.end->facts, start) + ".");
  } else if (job.lost) {
    lines.push_back("Its end is not on record: it " + std::string(start ? "ran" : "waited") +
                    " when the record broke off at " + local_time(job.lost->wall) + ".");
  } else {
    lines.push_back("The record ends at " + local_time(story.last()->wall) + ": it " +
                    (start ? "still runs." : "still waits."));
  }
  return lines;
}

std::string why_json(const JobStory& job, const Story& story) {
  std::string text;
  JsonWriter json(text);
  const auto if_known = [&](const auto& value) {
    return job.submitted ? std::optional(value) : std::nullopt;
  };
  json.begin_object().member("job", job.number.value).member("id", if_known(job.facts.id.text));
  json.member("key", if_known(job.facts.key.text)).member("queue", if_known(job.facts.queue.text));
  json.member("user", job.facts.user).member("priority", if_known(job.facts.priority));
  json.member("cost", job.submitted ? job.facts.cost : job.cost());
  json.member("submitted", job.submitted, wall_text).member("restated", job.restated, wall_text);
  write_demands(json, job.facts);
  write_changes(json, job, story);
  write_waits(json, job, story);
  json.member("started", job.start, [&](const auto&) { write_start(json, job); });
  json.member("finished", job.end, [&](const auto& end) { write_end(json, end); });
  json.member("record_broke_off", job.lost, wall_text);
  json.member("record_ends", wall_text(*story.last())).end_object();
  return text + "\n";
}

}  // namespace sluice::cli
