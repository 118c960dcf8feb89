#include "cli/autoscale_text.h"

#include <fmt/format.h>

#include "cli/autoscale_stats.h"
#include "service/json_writer.h"

namespace sluice::cli {
namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

int running_executors(const FleetRound& round) {
  const ScaleNumbers& numbers = round.decision.numbers;
  return numbers.executors - numbers.booting - round.unseen;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + harmless(name);
  return text;
}

/// What was done, in few words; empty: nothing.
std::string deeds(const FleetRound& round) {
  std::string text;
  const auto say = [&](const char* verb, const std::vector<std::string>& names) {
    if (!names.empty())
      text += (text.empty() ? "" : "; ") + std::string(verb) + " " + joined(names);
  };
  say("add", round.added);
  say("drain", round.drained);
  say("remove", round.removed);
  say("keep", round.kept);
  return text;
}

std::string sentence(const FleetRound& round) {
  if (!round.look.blind.empty()) return "nothing is done: " + round.look.blind;
  return describe(round.decision);
}

/// The deeds and the reason; where nothing was done, what the decision was.
std::string told(const FleetRound& round) {
  const std::string done = deeds(round);
  const std::string said = sentence(round);
  const std::size_t colon = said.find(": ");
  if (done.empty() || colon == std::string::npos) return said;
  return done + said.substr(colon);
}

Colour colour_of(const FleetRound& round) {
  if (!why_blind(round).empty() || round.failed_adds + round.failed_removes > 0) return Colour::red;
  if (round.unseen > 0) return Colour::yellow;
  return deeds(round).empty() ? Colour::none : Colour::green;
}

void write_names(JsonWriter& json, const char* name, const std::vector<std::string>& names) {
  json.key(name).begin_array();
  for (const std::string& each : names) json.value(each);
  json.end_array();
}

/// "12:00:03"
std::string clock_of(const Instant& instant) { return rfc3339(instant.wall).substr(11, 8); }

}  // namespace

std::string autoscale_reason(const FleetRound& round) {
  return round.look.blind.empty() ? std::string(name_of(round.decision.reason)) : "blind";
}

std::string autoscale_head(const Style& style) {
  return painted(style, Colour::bold,
                 fmt::format("{:<8}  {:>3} {:>4} {:>5} {:>6}  {:>13}  {:>7} {:>7}  {:>11}  {}",
                             "UTC", "run", "boot", "drain", "unseen", "points in use", "running",
                             "queued", "oldest wait", "decision"));
}

std::vector<std::string> autoscale_lines(const FleetRound& round, const Instant& instant,
                                         const Style& style) {
  const ScaleNumbers& numbers = round.decision.numbers;
  const bool blind = !round.look.blind.empty();
  std::string seen = fmt::format("{:>3} {:>4} {:>5} {:>6}  {:>13}  {:>7} {:>7}  {:>11}", "?", "?",
                                 "?", "?", "?", "?", "?", "?");
  if (!blind) {
    const std::string points = fmt::format("{} of {}", numbers.usage.value, numbers.slots);
    const std::string wait =
        numbers.queued > 0 ? duration_text(seconds(numbers.waited)) : std::string("-");
    seen = fmt::format("{:>3} {:>4} {:>5} {:>6}  {:>13}  {:>7} {:>7}  {:>11}",
                       running_executors(round), numbers.booting, numbers.draining, round.unseen,
                       points, running_jobs(round.look), queued_jobs(round.observation), wait);
  }
  const std::string what = harmless(told(round));
  std::vector<std::string> lines;
  const std::string line = clock_of(instant) + "  " + seen + "  ";
  const std::size_t room = style.width > line.size() + 20 ? style.width - line.size() : 0;
  lines.push_back(line + painted(style, colour_of(round), cut(what, room)));
  for (const std::string& note : round.notes) {
    lines.push_back(
        painted(style, Colour::yellow, cut("          ! " + harmless(note), style.width)));
  }
  for (const SeenExecutor& each : round.look.executors) {
    if (each.problem.empty()) continue;
    const std::string text = "          ? " + harmless(each.id + " is not seen: " + each.problem);
    lines.push_back(painted(style, Colour::dim, cut(text, style.width)));
  }
  return lines;
}

std::string autoscale_json(const FleetRound& round, const Instant& instant) {
  const ScaleNumbers& numbers = round.decision.numbers;
  const std::string blind = why_blind(round);
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("time", rfc3339(instant.wall)).key("blind");
  blind.empty() ? json.null() : json.value(blind);
  json.key("executors");
  if (!round.look.blind.empty()) {
    json.null();
  } else {
    json.begin_object().member("running", running_executors(round));
    json.member("booting", numbers.booting).member("draining", numbers.draining);
    json.member("not_seen", round.unseen).end_object();
  }
  json.member("points", numbers.slots).member("usage", numbers.usage.value);
  json.member("running", running_jobs(round.look));
  json.member("queued", queued_jobs(round.observation));
  json.member("queued_points", numbers.queued);
  json.member("oldest_wait", seconds(numbers.waited)).member("desired", round.desired);
  json.member("reason", autoscale_reason(round)).member("text", sentence(round));
  json.member("add", round.decision.add);
  write_names(json, "remove", round.decision.remove);
  write_names(json, "added", round.added);
  write_names(json, "drained", round.drained);
  write_names(json, "removed", round.removed);
  write_names(json, "kept", round.kept);
  write_names(json, "notes", round.notes);
  json.key("problems").begin_object();
  for (const SeenExecutor& each : round.look.executors) {
    if (!each.problem.empty()) json.member(each.id, each.problem);
  }
  json.end_object().end_object();
  return text + "\n";
}

}  // namespace sluice::cli
