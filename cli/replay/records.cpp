#include "cli/replay/records.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"
#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

/// With three decimals at most.
double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

void write_weight(JsonWriter& json, const ReplayRecord& record) {
  if (!record.weighs) return;
  std::string weight;
  JsonWriter(weight).value(record.weight);
  // Keeps a weight from looking like an integer in JSON.
  if (record.weight == std::floor(record.weight)) weight += ".0";
  json.key("weight").raw(weight);
}

void write_amounts(JsonWriter& json, const Refusal& refusal) {
  switch (refusal.code) {
    case RefusalCode::window:
      json.member("cost", refusal.cost.value).member("usage", refusal.usage.value);
      json.member("window", refusal.size.value);
      return;
    case RefusalCode::resource:
    case RefusalCode::memory:
    case RefusalCode::rate_limit:
      json.member("needs", refusal.needs).member("free", refusal.free);
      json.member("total", refusal.total);
      return;
    case RefusalCode::impossible:
      if (refusal.binding == "window") {
        json.member("cost", refusal.cost.value).member("maximum", refusal.size.value);
      } else {
        json.member("needs", refusal.needs).member("total", refusal.total);
      }
      return;
    default:
      return;
  }
}

void write_refusal(JsonWriter& json, const ReplayRecord& record) {
  json.member("code", to_string(record.refusal.code));
  if (!record.refusal.binding.empty()) json.member("binding", record.refusal.binding);
  write_weight(json, record);
  write_amounts(json, record.refusal);
  if (!record.other.empty()) json.member("ahead", record.other);
}

void write_admitted(JsonWriter& json, const ReplayRecord& record) {
  json.member("cost", record.cost.value).member("usage", record.usage.value);
  json.member("window", record.size.value);
  if (!record.items.empty()) {
    json.object("items", record.items,
                [&](const HeldItems& held) { json.member(held.manager, held.items); });
  }
  if (!record.conflicts.empty()) {
    json.list("conflicts", record.conflicts, [&](std::string_view job) { json.value(job); });
  }
  write_weight(json, record);
}

void write_window(JsonWriter& json, const WindowChange& change) {
  json.member("size", change.to.value).member("cause", to_string(change.cause));
  if (!change.sensor.empty()) json.member("sensor", change.sensor);
  json.member("from", change.from.value);
  if (!change.cpu) return;
  json.member("busy", rounded(change.cpu->busy)).member("waiting", rounded(change.cpu->waiting));
  json.member("pending", change.pending);
}

constexpr std::size_t kTimeColumns = 12;
constexpr std::size_t kEventColumns = 12;
constexpr std::size_t kJobColumns = 16;

std::string number(Points points) { return std::to_string(points.value); }

/// A refusal's sentence with the name of the other job.
std::string refusal_text(const ReplayRecord& record) {
  const std::string other = "job " + std::string(record.other);
  switch (record.refusal.code) {
    case RefusalCode::dependency:
      return "comes after " + other +
             (record.event == ReplayEvent::cancelled ? ", which did not succeed"
                                                     : ", which has not succeeded");
    case RefusalCode::held_for:
      return "room is kept for " + other + ", which has waited longest";
    case RefusalCode::behind:
      return "behind " + other;
    default:
      return to_sentence(record.refusal);
  }
}

std::string admitted_text(const ReplayRecord& record) {
  std::string text = "costs " + number(record.cost) + ", usage " + number(record.usage) + " of " +
                     number(record.size);
  if (record.weighs) text += ", weight " + number_text(record.weight, 2);
  for (const HeldItems& held : record.items) {
    text += ", " + held.manager + ": " + join_words(held.items);
  }
  if (!record.conflicts.empty()) text += ", conflicts with " + join_words(record.conflicts);
  return text;
}

std::string record_details(const ReplayRecord& record) {
  switch (record.event) {
    case ReplayEvent::deduplicated:
      return "already waits as " + std::string(record.other);
    case ReplayEvent::admitted:
      return admitted_text(record);
    case ReplayEvent::refused:
      return refusal_text(record) +
             (record.weighs ? ", weight " + number_text(record.weight, 2) : "");
    case ReplayEvent::finished:
      return (record.outcome == Outcome::ok ? "" : std::string(to_string(record.outcome)) + ", ") +
             "usage " + number(record.usage);
    case ReplayEvent::cancelled:
      return refusal_text(record);
    case ReplayEvent::window:
      return to_sentence(*record.change);
    case ReplayEvent::registered:
      return "taking work";
    case ReplayEvent::deregistered:
      return to_sentence(record.refusal);
    case ReplayEvent::submitted:
      return "queue " + std::string(record.queue) +
             (record.priority != 0 ? ", priority " + std::to_string(record.priority) : "");
  }
  return "";
}

Colour event_colour(ReplayEvent event) {
  using enum ReplayEvent;
  if (event == admitted || event == registered) return Colour::green;
  if (event == cancelled || event == deregistered) return Colour::red;
  if (event == refused) return Colour::yellow;
  return event == window ? Colour::bold : Colour::dim;
}

}  // namespace

std::string exact_seconds(Duration time) {
  const std::string nanoseconds = std::to_string(time.count() % kNanosPerSecond);
  std::string decimals = std::string(9 - nanoseconds.size(), '0') + nanoseconds;
  decimals.erase(std::max<std::size_t>(decimals.find_last_not_of('0') + 1, 1));
  return std::to_string(time.count() / kNanosPerSecond) + '.' + decimals;
}

void append_json(std::string& out, const ReplayRecord& record) {
  JsonWriter json(out);
  json.begin_object().key("t").raw(exact_seconds(record.t));
  json.member("event", to_string(record.event));
  if (!record.job.empty()) json.member("job", record.job);
  switch (record.event) {
    case ReplayEvent::deduplicated:
      json.member("as", record.other);
      break;
    case ReplayEvent::admitted:
      write_admitted(json, record);
      break;
    case ReplayEvent::refused:
    case ReplayEvent::cancelled:
      write_refusal(json, record);
      break;
    case ReplayEvent::finished:
      json.member("usage", record.usage.value);
      if (record.outcome != Outcome::ok) json.member("outcome", to_string(record.outcome));
      break;
    case ReplayEvent::window:
      write_window(json, *record.change);
      break;
    case ReplayEvent::deregistered:
      json.member("cause", to_string(record.refusal.code));
      if (record.refusal.code == RefusalCode::sensor) {
        json.member("binding", record.refusal.binding);
      }
      break;
    case ReplayEvent::submitted:
    case ReplayEvent::registered:
      break;
  }
  json.end_object();
  out += '\n';
}

std::string_view to_string(ReplayEvent event) {
  static constexpr EnumNames<ReplayEvent::deregistered> kNames{
      "submitted", "deduplicated", "admitted",   "refused",     "finished",
      "cancelled", "window",       "registered", "deregistered"};
  return kNames.of(event);
}

std::string replay_table_head(const Style& style) {
  return painted(style, Colour::dim,
                 padded_left("seconds", kTimeColumns) + "  " + padded("event", kEventColumns) +
                     "  " + padded("job", kJobColumns) + "  what");
}

std::string replay_table_line(const ReplayRecord& record, const Style& style) {
  const std::string line =
      padded_left(exact_seconds(record.t), kTimeColumns) + "  " +
      painted(style, event_colour(record.event), padded(to_string(record.event), kEventColumns)) +
      "  " + padded(harmless(record.job), kJobColumns) + "  " + harmless(record_details(record));
  return cut(line, style.width);
}

}  // namespace sluice::cli
