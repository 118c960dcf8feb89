#include "cli/record/span.h"

#include <algorithm>
#include <chrono>

#include "base/value_or_throw.h"
#include "cli/record/moment.h"
#include "cli/record/open.h"
#include "cli/settings/config_from.h"

namespace sluice::cli {

using record::WallTime;

namespace {

/// Sets `border` unless the text is empty. Returns the problem if it is no time.
std::optional<std::string> set_border(WallTime& border, const std::string& option,
                                      const std::string& text, WallTime now) {
  if (text.empty()) return std::nullopt;
  const auto moment = moment_of(text, now);
  if (const auto* problem = std::get_if<std::string>(&moment)) return option + ": " + *problem;
  border = std::get<WallTime>(moment);
  return std::nullopt;
}

}  // namespace

std::variant<Span, std::string> span_between(const std::string& from, const std::string& to,
                                             WallTime now) {
  Span span;
  if (auto problem = set_border(span.from, "--from", from, now)) return *std::move(problem);
  if (auto problem = set_border(span.to, "--to", to, now)) return *std::move(problem);
  if (!to.empty()) {
    span.to = in_milliseconds(span.to) + std::chrono::milliseconds(1) - WallTime::duration(1);
  }
  if (span.from <= span.to) return span;
  return "--from " + from + " is after --to " + to + ": " + local_time(span.from) + " and " +
         local_time(span.to);
}

RecordPart::RecordPart(const Span& span) : span_(span) {
  if (span != Span{}) end_ = 0;
}

void RecordPart::find(const record::Dated& dated) {
  const std::size_t place = found_++;
  if (!reach_) reach_ = Span{dated.wall, dated.wall};
  reach_->from = std::min(reach_->from, dated.wall);
  reach_->to = std::max(reach_->to, dated.wall);
  // It is written first, and is later than the entries that it was written for.
  if (std::holds_alternative<record::SegmentStart>(dated.entry)) return;
  const bool is_within = dated.wall >= span_.from && dated.wall <= span_.to;
  if (is_within) end_ = place + 1;
  if (is_within && !has_begun_) begin_ = place;
  has_begun_ = has_begun_ || is_within;
  // A host that does nothing may have no entry of that time.
  if (!has_begun_ && dated.wall < span_.from) begin_ = end_ = place + 1;
}

Side RecordPart::next() {
  const std::size_t place = told_++;
  if (place < begin_) return Side::before;
  return place < end_ ? Side::within : Side::after;
}

std::optional<std::string> RecordPart::problem(const std::string& path) const {
  if (span_ == Span{}) return std::nullopt;
  if (!reach_) return "the record in " + path + " is empty";
  if (span_.from <= reach_->to && span_.to >= reach_->from) return std::nullopt;
  return "the record in " + path + " has no entries for that time: it covers " +
         local_time(reach_->from) + " to " + local_time(reach_->to);
}

Span span_asked_for(const std::string& from, const std::string& to) {
  return value_or_throw(span_between(from, to, std::chrono::system_clock::now()));
}

void read_part(const record::RecordFolder& folder, const Span& span,
               const std::function<void(const record::Dated&, Side)>& each) {
  const auto oldest = [](const std::vector<record::ReadSegment>& segments) {
    return segments.empty() ? 0 : segments.front().file.number;
  };
  RecordPart part(span);
  std::vector<record::ReadSegment> found;
  if (span != Span{}) {
    found = record::read_record(folder, [&](const auto& dated) { part.find(dated); });
  }
  if (const auto problem = part.problem(folder.path())) {
    warn_of_problems(found, folder);
    refuse(*problem);
  }
  const auto told =
      record::read_record(folder, [&](const auto& dated) { each(dated, part.next()); });
  warn_of_problems(told, folder);
  if (!found.empty() && oldest(found) != oldest(told)) {
    refuse("the daemon has just removed the oldest segment of " + folder.path() + ": try again");
  }
}

}  // namespace sluice::cli
