#include "cli/record/span.h"

#include <algorithm>
#include <chrono>

#include "cli/record/moment.h"
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
  using std::chrono::milliseconds;
  Span span;
  if (auto problem = set_border(span.from, "--from", from, now)) return *std::move(problem);
  if (auto problem = set_border(span.to, "--to", to, now)) return *std::move(problem);
  if (!to.empty()) {
    span.to = std::chrono::floor<milliseconds>(span.to) + milliseconds(1) - WallTime::duration(1);
  }
  if (span.from <= span.to) return span;
  return "--from " + from + " is after --to " + to + ": " + local_time(span.from) + " and " +
         local_time(span.to);
}

void Reach::add(const record::Dated& dated) {
  if (!span_) span_ = Span{dated.wall, dated.wall};
  span_->from = std::min(span_->from, dated.wall);
  span_->to = std::max(span_->to, dated.wall);
}

std::optional<std::string> nothing_of(const Span& span, const std::string& path,
                                      const Reach& reach) {
  if (span == Span{}) return std::nullopt;
  const auto& whole = reach.span();
  if (!whole) return "the record in " + path + " is empty";
  if (span.from <= whole->to && span.to >= whole->from) return std::nullopt;
  return "the record in " + path + " has nothing of that time: it reaches from " +
         local_time(whole->from) + " to " + local_time(whole->to);
}

Span span_asked_for(const std::string& from, const std::string& to) {
  auto span = span_between(from, to, std::chrono::system_clock::now());
  if (const auto* problem = std::get_if<std::string>(&span)) refuse(*problem);
  return std::get<Span>(span);
}

void require_part(const Span& span, const record::RecordFolder& folder, const Reach& reach) {
  if (const auto problem = nothing_of(span, folder.path(), reach)) refuse(*problem);
}

}  // namespace sluice::cli
