#include "cli/record/passages.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "cli/record/moment.h"

namespace sluice::cli {
namespace {

using record::WallTime;

constexpr Duration kLeastSetBack = std::chrono::seconds(1);

}  // namespace

std::optional<SetBacks::SetBack> SetBacks::before(const record::Dated& dated) {
  const bool is_new_boot = std::exchange(is_new_boot_, false);
  const auto last_at = std::exchange(last_at_, dated.at);
  const WallTime last_wall = std::exchange(last_wall_, dated.wall);
  if (!last_at) return std::nullopt;
  const Duration passed = is_new_boot ? Duration{0} : dated.at - *last_at;
  const Duration back = passed - (dated.wall - last_wall);
  return back >= kLeastSetBack ? std::optional(SetBack{last_wall, back}) : std::nullopt;
}

void SetBacks::begin_segment(const record::SegmentStart& start) {
  is_new_boot_ = is_new_boot_ || start.boot != boot_;
  boot_ = start.boot;
}

void Passages::add(const record::Dated& dated) {
  if (const auto* start = std::get_if<record::SegmentStart>(&dated.entry)) {
    return set_backs_.begin_segment(*start);
  }
  const WallTime at = in_milliseconds(dated.wall);
  const bool is_set_back = set_backs_.before(dated).has_value();
  if (is_set_back || passages_.empty()) passages_.push_back({at, at});
  passages_.back().to = std::max(passages_.back().to, at);
}

std::size_t Passages::occurrence(WallTime at, std::size_t number) const {
  const WallTime time = in_milliseconds(at);
  const auto has_it = [&](const Passage& each) { return each.from <= time && time <= each.to; };
  const auto before = passages_.begin() + static_cast<std::ptrdiff_t>(number - 1);
  return 1 + static_cast<std::size_t>(std::count_if(passages_.begin(), before, has_it));
}

}  // namespace sluice::cli
