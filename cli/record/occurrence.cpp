#include "cli/record/occurrence.h"

#include <chrono>

#include "base/text.h"
#include "cli/record/moment.h"

namespace sluice::cli {

using record::WallTime;

Occurrences::Occurrences(WallTime moment, std::size_t wanted)
    : moment_(in_milliseconds(moment)), wanted_(wanted) {}

void Occurrences::count_one() {
  ++count_;
  before_ = last_back_;
}

bool Occurrences::add(const record::Dated& dated) {
  if (const auto* start = std::get_if<record::SegmentStart>(&dated.entry)) {
    set_backs_.begin_segment(*start);
    // It is written first, and is later than the entries that it was written for.
    return count_ < wanted_;
  }
  if (const auto back = set_backs_.before(dated)) {
    // The clock showed the time before it was set back.
    if (has_met_ && !has_passed_) count_one();
    last_back_ = back;
    has_reached_ = has_passed_ = has_met_ = false;
  }
  last_wall_ = dated.wall;
  const WallTime at = in_milliseconds(dated.wall);
  const bool is_after = at > moment_;
  if (is_after && has_reached_ && !has_passed_) count_one();
  (is_after ? has_passed_ : has_reached_) = true;
  has_met_ = has_met_ || at == moment_;
  return count_ < wanted_;
}

void Occurrences::finish(WallTime now) {
  if (!has_reached_ || has_passed_) return;
  const bool is_near = count_ == 0 || moment_ - last_wall_ <= kRecordSilence;
  if (has_met_ || (is_near && moment_ <= now)) count_one();
}

std::string Occurrences::cause() const {
  if (!before_) return "";
  return "the clock was set back by " + duration_text(before_->by) + " at " +
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
