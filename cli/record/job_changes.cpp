#include "cli/record/job_changes.h"

#include <optional>
#include <utility>

#include "base/suggest.h"
#include "cli/record/moment.h"
#include "sluice/job.h"

namespace sluice::cli {
namespace {

using Locks = std::vector<std::pair<record::Name, record::Name>>;

std::string locks_text(const Locks& locks) {
  std::string text;
  for (const auto& [level, modes] : locks) {
    text += (text.empty() ? "" : ", ") + level.text + (modes.text.empty() ? "" : " " + modes.text);
  }
  return text.empty() ? "none" : text;
}

std::string move_text(const record::JobChanged& change, const JobNames& names) {
  if (change.of == JobId{}) return "moved to the " + change.place;
  return "moved " + change.place + " " +
         (names ? names(change.of) : std::to_string(change.of.value));
}

/// Only what was changed.
void write_change(JsonWriter& json, const JobStory::Change& change, const JobNames& names) {
  const record::JobChanged& what = change.facts;
  json.begin_object().member("at", wall_text(change.when)).member("by", what.by);
  if (what.priority) json.member("priority", *what.priority);
  if (what.queue) json.member("queue", what.queue->text);
  if (!what.place.empty()) json.member("position", what.place);
  if (what.of != JobId{}) json.member("of", what.of.value);
  if (what.frozen) json.member("frozen", *what.frozen);
  if (what.nice) json.member("nice", *what.nice);
  if (what.locks) {
    json.object("locks", *what.locks,
                [&](const auto& each) { json.member(each.first.text, each.second.text); });
  }
  if (what.global_lock) json.member("global_lock", *what.global_lock);
  json.member("message", change_text(what, names)).end_object();
}

}  // namespace

std::string change_text(const record::JobChanged& change, const JobNames& names) {
  std::vector<std::string> parts;
  if (change.priority) parts.push_back("priority set to " + std::to_string(*change.priority));
  if (change.queue) parts.push_back("queue set to " + change.queue->text);
  if (!change.place.empty()) parts.push_back(move_text(change, names));
  if (change.frozen) parts.emplace_back(*change.frozen ? "frozen" : "no longer frozen");
  if (change.nice) parts.push_back("nice set to " + std::to_string(*change.nice));
  if (change.locks) parts.push_back("locks set to " + locks_text(*change.locks));
  if (change.global_lock) {
    parts.emplace_back(*change.global_lock ? "global lock set" : "global lock removed");
  }
  // Nothing that this Sluice knows.
  if (parts.empty()) parts.emplace_back("changed");
  return join_words(parts) + (change.by ? " by user " + std::to_string(*change.by) : "");
}

std::vector<std::string> change_lines(const JobStory& job, const Story& story) {
  if (job.changes.empty()) return {};
  std::vector<std::string> lines{"It was changed:"};
  for (const JobStory::Change& each : job.changes) {
    lines.push_back("  " + local_time(each.when.wall).substr(11) + "  " +
                    change_text(each.facts, story.names()));
  }
  return lines;
}

void write_changes(JsonWriter& json, const JobStory& job, const Story& story) {
  json.list("changes", job.changes,
            [&](const JobStory::Change& each) { write_change(json, each, story.names()); });
}

std::string demands_text(const record::JobSubmitted& facts) {
  std::string text;
  if (facts.global_lock) text += ", with the global lock";
  if (facts.nice) text += ", nice " + std::to_string(*facts.nice);
  const bool is_usual =
      facts.on_failure.empty() || facts.on_failure == to_string(OnFailure::cancel);
  if (!is_usual) text += ", on_failure " + facts.on_failure;
  for (const record::Name& each : facts.reasons) {
    text += (&each == &facts.reasons.front() ? ", for " : " and ") + each.text;
  }
  return text;
}

void write_demands(JsonWriter& json, const record::JobSubmitted& facts) {
  const bool is_known = !facts.on_failure.empty();
  std::vector<std::string> reasons;
  for (const record::Name& each : facts.reasons) reasons.push_back(each.text);
  json.member("global_lock", is_known ? std::optional(facts.global_lock) : std::nullopt);
  json.member("reasons", is_known ? std::optional(reasons) : std::nullopt);
  json.member("on_failure", is_known ? std::optional(facts.on_failure) : std::nullopt);
  json.member("nice", facts.nice);
}

}  // namespace sluice::cli
