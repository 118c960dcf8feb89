#include "cli/record/surroundings.h"

#include <algorithm>

#include "cli/record/moment.h"
#include "cli/record/sentence.h"
#include "status/wall_time.h"

namespace sluice::cli {
Surroundings::Surroundings(record::WallTime moment) : moment_(in_milliseconds(moment)) {}

void Surroundings::add(const record::Dated& dated, Side side) {
  // The wall clock may have been set.
  from_ = std::min(from_.value_or(dated.wall), dated.wall);
  to_ = std::max(to_.value_or(dated.wall), dated.wall);
  const auto* change = std::get_if<record::WindowChanged>(&dated.entry);
  if (!change) return;
  const bool is_cut = change->to < change->from;
  if (side == Side::after) {
    if (!next_) next_ = dated.wall;
    if (is_cut && after_.size() < kCuts) after_.push_back({dated.wall, *change});
    return;
  }
  if (in_milliseconds(dated.wall) != moment_) previous_ = dated.wall;
  if (!is_cut) return;
  before_.push_back({dated.wall, *change});
  if (before_.size() > kCuts) before_.pop_front();
}

std::vector<Surroundings::Change> Surroundings::cuts() const {
  std::vector<Change> all(before_.begin(), before_.end());
  all.insert(all.end(), after_.begin(), after_.end());
  return all;
}

void write_surroundings(JsonWriter& json, const Surroundings& around) {
  json.member("from", around.from(), rfc3339).member("to", around.to(), rfc3339);
  json.member("previous_change", around.previous(), rfc3339);
  json.member("next_change", around.next(), rfc3339);
  json.list("cuts", around.cuts(), [&](const Surroundings::Change& each) {
    const record::WindowChanged& change = each.change;
    json.begin_object().member("at", rfc3339(each.at));
    json.member("from", change.from).member("to", change.to);
    json.member("cause", change.cause).member("message", window_sentence(change)).end_object();
  });
}

}  // namespace sluice::cli
