#include "cli/record/surroundings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/record/moment.h"
#include "cli/record/sentence.h"
#include "status/wall_time.h"

namespace sluice::cli {

Surroundings::Surroundings(record::WallTime moment) : moment_(in_milliseconds(moment)) {}

void Surroundings::add(const record::Dated& dated, Side side) {
  // The wall clock may have been set.
  from_ = std::min(from_.value_or(dated.wall), dated.wall);
  to_ = std::max(to_.value_or(dated.wall), dated.wall);
  passages_.add(dated);
  const InPassage when{dated.wall, passages_.count()};
  if (side == Side::before && at_moment_ && at_moment_->passage != when.passage) {
    previous_ = std::exchange(at_moment_, std::nullopt);
  }
  const auto* change = std::get_if<record::WindowChanged>(&dated.entry);
  if (!change) return;
  const bool is_cut = change->to < change->from;
  if (side == Side::after) {
    if (!next_) next_ = when;
    if (is_cut && after_.size() < kCuts) after_.push_back({when, *change});
    return;
  }
  add_before(when);
  if (!is_cut) return;
  before_.push_back({when, *change});
  if (before_.size() > kCuts) before_.pop_front();
}

void Surroundings::add_before(const InPassage& when) {
  if (in_milliseconds(when.at) == moment_) {
    at_moment_ = when;
  } else {
    previous_ = when;
    at_moment_.reset();
  }
}

std::optional<Surroundings::Place> Surroundings::placed(
    const std::optional<InPassage>& when) const {
  if (!when) return std::nullopt;
  return Place{when->at, passages_.occurrence(when->at, when->passage)};
}

std::vector<Surroundings::Change> Surroundings::cuts() const {
  std::vector<Change> all;
  for (const auto* side : {&before_, &after_}) {
    for (const Cut& each : *side) all.push_back({*placed(each.when), each.change});
  }
  return all;
}

void write_surroundings(JsonWriter& json, const Surroundings& around) {
  json.member("from", around.from(), rfc3339).member("to", around.to(), rfc3339);
  const auto write_place = [&](const std::string& name,
                               const std::optional<Surroundings::Place>& place) {
    json.member(name + "_change", place, [](const auto& each) { return rfc3339(each.at); });
    json.member(name + "_occurrence", place, &Surroundings::Place::occurrence);
  };
  write_place("previous", around.previous());
  write_place("next", around.next());
  json.list("cuts", around.cuts(), [&](const Surroundings::Change& each) {
    const record::WindowChanged& change = each.change;
    json.begin_object().member("at", rfc3339(each.place.at));
    json.member("occurrence", each.place.occurrence);
    json.member("from", change.from).member("to", change.to);
    json.member("cause", change.cause).member("message", window_sentence(change)).end_object();
  });
}

}  // namespace sluice::cli
