#include <array>
#include <charconv>

#include "cli/replay/records.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kTimeColumns = 12;
constexpr std::size_t kEventColumns = 12;
constexpr std::size_t kJobColumns = 16;

std::string number(Points points) { return std::to_string(points.value); }

std::string weight_text(double weight) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), weight,
                                 std::chars_format::fixed, 2);
  return std::string(digits.data(), end.ptr);
}

template <typename Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) (text += text.empty() ? "" : ", ") += name;
  return text;
}

/// A refusal's sentence with the name of the other job.
std::string refusal_text(const ReplayRecord& record) {
  const std::string other = "job " + std::string(record.other);
  switch (record.refusal.code) {
    case RefusalCode::dependency:
      return "comes after " + other +
             (record.event == ReplayEvent::cancelled ? ", which did not end well"
                                                     : ", which has not ended well");
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
  if (record.weighs) text += ", weight " + weight_text(record.weight);
  for (const HeldItems& held : record.items) {
    text += ", " + held.manager + ": " + joined(held.items);
  }
  if (!record.conflicts.empty()) text += ", conflicts with " + joined(record.conflicts);
  return text;
}

std::string details(const ReplayRecord& record) {
  switch (record.event) {
    case ReplayEvent::deduplicated:
      return "already waits as " + std::string(record.other);
    case ReplayEvent::admitted:
      return admitted_text(record);
    case ReplayEvent::refused:
      return refusal_text(record) + (record.weighs ? ", weight " + weight_text(record.weight) : "");
    case ReplayEvent::finished:
      return (record.outcome == Outcome::ok ? "" : std::string(to_string(record.outcome)) + ", ") +
             "usage " + number(record.usage);
    case ReplayEvent::cancelled:
      return refusal_text(record);
    case ReplayEvent::window:
      return number(record.from) + " to " + number(record.size) + " points, " +
             std::string(to_string(record.cause)) +
             (record.sensor.empty() ? "" : " (" + std::string(record.sensor) + ")");
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

Colour colour_of(ReplayEvent event) {
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

std::string right(std::string text, std::size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

}  // namespace

std::string replay_table_head(const Style& style) {
  return painted(style, Colour::dim,
                 right("seconds", kTimeColumns) + "  " + padded("event", kEventColumns) + "  " +
                     padded("job", kJobColumns) + "  what");
}

std::string replay_table_line(const ReplayRecord& record, const Style& style) {
  std::string time;
  append_seconds(time, record.t);
  const std::string line =
      right(std::move(time), kTimeColumns) + "  " +
      painted(style, colour_of(record.event), padded(to_string(record.event), kEventColumns)) +
      "  " + padded(harmless(record.job), kJobColumns) + "  " + harmless(details(record));
  return cut(line, style.width);
}

}  // namespace sluice::cli
