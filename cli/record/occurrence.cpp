#include "cli/record/occurrence.h"

#include <chrono>

#include "base/seconds.h"
#include "cli/record/moment.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

using record::WallTime;

/// Less is drift, and what lies between two readings of the clocks.
constexpr Duration kLeap = std::chrono::seconds(1);

}  // namespace

Occurrences::Occurrences(WallTime moment, std::size_t wanted)
    : moment_(in_milliseconds(moment)), wanted_(wanted) {}

std::optional<Duration> Occurrences::set_back_before(const record::Dated& dated) const {
  if (!last_at_) return std::nullopt;
  const Duration passed = is_new_boot_ ? Duration{0} : dated.at - *last_at_;
  const Duration back = passed - (dated.wall - last_wall_);
  return back >= kLeap ? std::optional(back) : std::nullopt;
}

void Occurrences::count_one() {
  ++count_;
  before_ = leap_;
}

bool Occurrences::add(const record::Dated& dated) {
  if (const auto* start = std::get_if<record::SegmentStart>(&dated.entry)) {
    is_new_boot_ = is_new_boot_ || start->boot != boot_;
    boot_ = start->boot;
    // It is written first, and is later than the entries that it was written for.
    return count_ < wanted_;
  }
  if (const auto back = set_back_before(dated)) {
    leap_ = {last_wall_, *back};
    has_reached_ = has_passed_ = false;
  }
  is_new_boot_ = false;
  last_at_ = dated.at;
  last_wall_ = dated.wall;
  const bool is_after = in_milliseconds(dated.wall) > moment_;
  if (is_after && has_reached_ && !has_passed_) count_one();
  (is_after ? has_passed_ : has_reached_) = true;
  return count_ < wanted_;
}

void Occurrences::finish(WallTime now) {
  if (!has_reached_ || has_passed_ || moment_ > now) return;
  if (count_ == 0 || moment_ - last_wall_ <= kRecordSilence) count_one();
}

std::string Occurrences::cause() const {
  if (!before_) return "";
  return "the clock was set back by " + duration_text(to_seconds(before_->by)) + " at " +
         local_time(before_->from);
}

std::string times_text(std::size_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : std::to_string(count) + " times";
}

std::string occurrence_text(WallTime moment, const Occurrence& shown, const std::string& cause) {
  const std::string text =
      local_time(moment) + " occurred " + times_text(shown.of) + ": " + cause + ". ";
  if (shown.number < shown.of) {
    return text + "Number " + std::to_string(shown.number) +
           " is shown; without --occurrence, the last.";
  }
  if (shown.of == 2) return text + "The last is shown; --occurrence 1 shows the other.";
  return text + "The last is shown; --occurrence 1 to " + std::to_string(shown.of - 1) +
         " show the others.";
}

}  // namespace sluice::cli
