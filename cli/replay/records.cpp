#include "cli/replay/records.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/enum_names.h"
#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// Members after the first: a comma, the name, the value. These do not allocate, since a million
// jobs make four million lines.

void text_member(std::string& out, std::string_view name, std::string_view value) {
  out += ",\"";
  out += name;
  out += "\":";
  JsonWriter(out).value(value);
}

void number_member(std::string& out, std::string_view name, std::int64_t value) {
  out += ",\"";
  out += name;
  out += "\":";
  append_number(out, value);
}

/// With three decimals at most.
void ratio_member(std::string& out, std::string_view name, double value) {
  out += ",\"";
  out += name;
  out += "\":";
  append_number(out, std::round(value * 1000) / 1000);
}

void weight_member(std::string& out, const ReplayRecord& record) {
  if (!record.weighs) return;
  out += ",\"weight\":";
  append_number(out, record.weight);
  // Keeps a weight from looking like an integer in JSON.
  if (record.weight == std::floor(record.weight)) out += ".0";
}

void append_items(std::string& out, std::span<const HeldItems> items) {
  if (items.empty()) return;
  out += ",\"items\":";
  JsonWriter writer(out);
  writer.begin_object();
  for (const HeldItems& held : items) {
    writer.key(held.manager).begin_array();
    for (const std::string& item : held.items) writer.value(item);
    writer.end_array();
  }
  writer.end_object();
}

void append_conflicts(std::string& out, std::span<const std::string_view> conflicts) {
  if (conflicts.empty()) return;
  out += ",\"conflicts\":";
  JsonWriter writer(out);
  writer.begin_array();
  for (const std::string_view job : conflicts) writer.value(job);
  writer.end_array();
}

void append_amounts(std::string& out, const Refusal& refusal) {
  switch (refusal.code) {
    case RefusalCode::window:
      number_member(out, "cost", refusal.cost.value);
      number_member(out, "usage", refusal.usage.value);
      number_member(out, "window", refusal.size.value);
      return;
    case RefusalCode::resource:
    case RefusalCode::memory:
    case RefusalCode::rate_limit:
      number_member(out, "needs", refusal.needs);
      number_member(out, "free", refusal.free);
      number_member(out, "total", refusal.total);
      return;
    case RefusalCode::impossible:
      if (refusal.binding == "window") {
        number_member(out, "cost", refusal.cost.value);
        number_member(out, "maximum", refusal.size.value);
      } else {
        number_member(out, "needs", refusal.needs);
        number_member(out, "total", refusal.total);
      }
      return;
    default:
      return;
  }
}

void append_refusal(std::string& out, const ReplayRecord& record) {
  text_member(out, "code", to_string(record.refusal.code));
  if (!record.refusal.binding.empty()) text_member(out, "binding", record.refusal.binding);
  weight_member(out, record);
  append_amounts(out, record.refusal);
  if (!record.other.empty()) text_member(out, "ahead", record.other);
}

void append_admitted(std::string& out, const ReplayRecord& record) {
  number_member(out, "cost", record.cost.value);
  number_member(out, "usage", record.usage.value);
  number_member(out, "window", record.size.value);
  append_items(out, record.items);
  append_conflicts(out, record.conflicts);
  weight_member(out, record);
}

void append_window(std::string& out, const ReplayRecord& record) {
  number_member(out, "size", record.size.value);
  text_member(out, "cause", to_string(record.cause));
  if (!record.sensor.empty()) text_member(out, "sensor", record.sensor);
  number_member(out, "from", record.from.value);
  if (!record.cpu) return;
  ratio_member(out, "busy", record.cpu->busy);
  ratio_member(out, "waiting", record.cpu->waiting);
  number_member(out, "pending", static_cast<std::int64_t>(record.pending));
}

constexpr std::size_t kTimeColumns = 12;
constexpr std::size_t kEventColumns = 12;
constexpr std::size_t kJobColumns = 16;

WindowChange change_of(const ReplayRecord& record) {
  return {.at = TimePoint(record.t),
          .from = record.from,
          .to = record.size,
          .cause = record.cause,
          .sensor = std::string(record.sensor),
          .cpu = record.cpu,
          .pending = record.pending,
          .said = std::string(record.said)};
}

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
      return to_sentence(change_of(record));
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
  switch (event) {
    case ReplayEvent::admitted:
    case ReplayEvent::registered:
      return Colour::green;
    case ReplayEvent::refused:
      return Colour::yellow;
    case ReplayEvent::cancelled:
    case ReplayEvent::deregistered:
      return Colour::red;
    case ReplayEvent::window:
      return Colour::bold;
    case ReplayEvent::submitted:
    case ReplayEvent::deduplicated:
    case ReplayEvent::finished:
      return Colour::dim;
  }
  return Colour::none;
}

}  // namespace

void append_seconds(std::string& out, Duration time) {
  append_number(out, time.count() / kNanosPerSecond);
  out += '.';
  std::int64_t rest = time.count() % kNanosPerSecond;
  std::int64_t digit_value = kNanosPerSecond / 10;
  do {
    out += static_cast<char>('0' + rest / digit_value);
    rest %= digit_value;
    digit_value /= 10;
  } while (rest > 0);
}

void append_json(std::string& out, const ReplayRecord& record) {
  out += "{\"t\":";
  append_seconds(out, record.t);
  text_member(out, "event", to_string(record.event));
  if (!record.job.empty()) text_member(out, "job", record.job);
  switch (record.event) {
    case ReplayEvent::deduplicated:
      text_member(out, "as", record.other);
      break;
    case ReplayEvent::admitted:
      append_admitted(out, record);
      break;
    case ReplayEvent::refused:
    case ReplayEvent::cancelled:
      append_refusal(out, record);
      break;
    case ReplayEvent::finished:
      number_member(out, "usage", record.usage.value);
      if (record.outcome != Outcome::ok) text_member(out, "outcome", to_string(record.outcome));
      break;
    case ReplayEvent::window:
      append_window(out, record);
      break;
    case ReplayEvent::deregistered:
      text_member(out, "cause", to_string(record.refusal.code));
      if (record.refusal.code == RefusalCode::sensor) {
        text_member(out, "binding", record.refusal.binding);
      }
      break;
    case ReplayEvent::submitted:
    case ReplayEvent::registered:
      break;
  }
  out += "}\n";
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
  std::string time;
  append_seconds(time, record.t);
  const std::string line =
      padded_left(time, kTimeColumns) + "  " +
      painted(style, event_colour(record.event), padded(to_string(record.event), kEventColumns)) +
      "  " + padded(harmless(record.job), kJobColumns) + "  " + harmless(record_details(record));
  return cut(line, style.width);
}

}  // namespace sluice::cli
