#include "sluice/refusal.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/enum_names.h"
#include "base/text.h"
#include "vocabulary/phrases.h"

namespace sluice {
namespace {

std::string text(Points points) { return std::to_string(points.value); }

/// Thousandths of a core, with one decimal.
std::string cores_text(std::int64_t thousandths) {
  return in_tenths((std::max<std::int64_t>(thousandths, 0) + 50) / 100);
}

std::string window_sentence(const Refusal& refusal) {
  if (refusal.binding == "cpu") {
    if (refusal.total == 0) return "every CPU is busy";
    return "needs " + cores_text(refusal.needs) + " cores, " + cores_text(refusal.free) + " of " +
           cores_text(refusal.total) + " are free";
  }
  if (refusal.binding == "cpu_later") {
    return "will need " + cores_text(refusal.needs) + " cores later, " + cores_text(refusal.free) +
           " of " + cores_text(refusal.total) + " will be free then";
  }
  if (refusal.binding == "cpu_latent") {
    return "needs " + cores_text(refusal.needs) +
           " cores at an unknown time; such jobs may come to need " + cores_text(refusal.total) +
           " together, " + cores_text(refusal.free) + " are free";
  }
  if (refusal.cost <= Points{0} && refusal.usage >= refusal.size) {
    return "the window is full: " + text(refusal.usage) + " of " + text(refusal.size) +
           " points are in use";
  }
  const Points left = refusal.size - std::min(refusal.usage, refusal.size);
  const std::string room = text(left) + " of " + text(refusal.size) + " points are free";
  return refusal.cost > Points{0} ? "needs " + in_points(refusal.cost) + ", " + room : room;
}

/// Usage may exceed the total, since a manager may shrink under its holders.
std::string free_text(const Refusal& refusal) {
  if (refusal.free >= 0) {
    return std::to_string(refusal.free) + " of " + std::to_string(refusal.total) + " free";
  }
  return std::to_string(refusal.total - refusal.free) + " in use of " +
         std::to_string(refusal.total);
}

/// The texts of two amounts of memory that a sentence compares, with as many decimals as tell them
/// apart: "needs 200.0 GiB, and has 200.0 GiB" would contradict itself.
std::pair<std::string, std::string> memory_texts(std::int64_t one, std::int64_t other) {
  constexpr int kMostDecimals = 3;
  const auto text_of = [](std::int64_t bytes, int decimals) {
    return bytes_text(static_cast<double>(bytes), decimals);
  };
  for (int decimals = 1; decimals <= kMostDecimals; ++decimals) {
    std::pair texts{text_of(one, decimals), text_of(other, decimals)};
    if (one == other || texts.first != texts.second) return texts;
  }
  return {std::to_string(one) + " bytes", std::to_string(other) + " bytes"};
}

std::string memory_sentence(const Refusal& refusal, const JobNames& names) {
  const std::string most = refusal.ahead == JobId{} || !names
                               ? ""
                               : "; most is kept for " + job_text(refusal.ahead, names);
  const auto [needs, free] = memory_texts(refusal.needs, std::max<std::int64_t>(refusal.free, 0));
  return "needs " + needs + " of memory, " + free + " of " +
         bytes_text(static_cast<double>(refusal.total)) + " free" + most;
}

std::string impossible_sentence(const Refusal& refusal) {
  if (refusal.binding == "memory") {
    const auto [needs, total] = memory_texts(refusal.needs, refusal.total);
    return "needs " + needs + " of memory, and this machine has " + total;
  }
  if (refusal.binding.empty() || refusal.binding == "window") {
    return "needs " + in_points(refusal.cost) + ", more than the largest window of " +
           text(refusal.size);
  }
  return "needs " + std::to_string(refusal.needs) + " of " + std::string(refusal.binding) +
         ", which has " + std::to_string(refusal.total);
}

std::string contention_sentence(const Refusal& refusal) {
  return refusal.binding == "global_lock"
             ? "would certainly block on the global lock"
             : "would certainly block on level " + std::string(refusal.binding);
}

std::string rate_limit_sentence(const Refusal& refusal) {
  return "rate limit " + std::string(refusal.binding) + ": " +
         std::to_string(refusal.total - refusal.free) + " run, of at most " +
         std::to_string(refusal.total);
}

}  // namespace

std::string to_sentence(const Refusal& refusal, const JobNames& names) {
  const std::string binding(refusal.binding);
  switch (refusal.code) {
    case RefusalCode::window:
      return window_sentence(refusal);
    case RefusalCode::sensor:
      return "sensor " + binding + " is red";
    case RefusalCode::paused:
      return "paused by the operator";
    case RefusalCode::draining:
      return "draining: takes no more work";
    case RefusalCode::queue_paused:
      return "queue " + binding + " is paused";
    case RefusalCode::frozen:
      return "frozen by hand";
    case RefusalCode::resource:
      return "needs " + std::to_string(refusal.needs) + " of " + binding + ", " +
             free_text(refusal);
    case RefusalCode::contention:
      return contention_sentence(refusal);
    case RefusalCode::memory:
      return memory_sentence(refusal, names);
    case RefusalCode::dependency:
      return "comes after " + job_text(refusal.ahead, names) +
             ", which has not finished or has failed";
    case RefusalCode::rule:
      return "held back by " + binding + " of the configuration";
    case RefusalCode::rate_limit:
      return rate_limit_sentence(refusal);
    case RefusalCode::held_for:
      return "room is kept for " + job_text(refusal.ahead, names) + ", which has waited longest";
    case RefusalCode::behind:
      return "behind " + job_text(refusal.ahead, names) + ", which comes first";
    case RefusalCode::impossible:
      return impossible_sentence(refusal);
    case RefusalCode::cancelled:
      return "cancelled before it ran";
    case RefusalCode::max_pending:
      return "the queue is full (service.max_pending)";
    case RefusalCode::invalid:
      return binding.empty() ? "is invalid" : "has an invalid field: " + binding;
  }
  return "";
}

std::string_view to_string(RefusalCode code) {
  static constexpr EnumNames<RefusalCode::invalid> kNames{
      "window",   "sensor",     "paused",     "draining",   "queue_paused", "frozen",
      "resource", "contention", "memory",     "dependency", "rule",         "rate_limit",
      "held_for", "behind",     "impossible", "cancelled",  "max_pending",  "invalid"};
  return kNames.of(code);
}

}  // namespace sluice
