#include "cli/whatif/waiting_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::cli {

void WaitingLine::come(std::size_t index, JobId job, const std::string& queue) {
  const Label label = line_.empty() ? kFirst : line_.rbegin()->first + kStep;
  line_.emplace(label, Waiting{index, job, queue});
  queues_[queue].insert(label);
  places_[job] = label;
}

void WaitingLine::go(JobId job) {
  const auto place = places_.extract(job);
  if (place.empty()) return;
  const auto gone = line_.extract(place.mapped());
  queues_[gone.mapped().queue].erase(gone.key());
}

void WaitingLine::change(JobId job, const record::JobChanged& change) {
  const auto place = places_.find(job);
  if (place == places_.end()) return;
  auto moved = line_.find(place->second);
  if (change.queue) {
    queues_[moved->second.queue].erase(moved->first);
    moved->second.queue = change.queue->text;
    queues_[moved->second.queue].insert(moved->first);
  }
  const auto word = std::ranges::find(record::kPlaces, change.place);
  if (word == record::kPlaces.end()) return;
  const auto where = static_cast<Where>(word - record::kPlaces.begin());
  auto next = next_place(moved, where, change.of);
  if (next == moved || next == std::next(moved)) return;
  if (!has_room_before(next)) {
    spread();
    moved = line_.find(places_.at(job));
    next = next_place(moved, where, change.of);
  }
  relabel(moved, label_before(next, where));
}

std::vector<std::size_t> WaitingLine::indices() const {
  std::vector<std::size_t> indices;
  for (const auto& [label, each] : line_) indices.push_back(each.index);
  return indices;
}

/// The job before which a moved one comes; itself: it stays.
WaitingLine::Line::iterator WaitingLine::next_place(Line::iterator moved, Where where, JobId of) {
  const std::set<Label>& beside = queues_[moved->second.queue];
  if (where == Where::front) return line_.find(*beside.begin());
  if (where == Where::back) return std::next(line_.find(*beside.rbegin()));
  const auto other = places_.find(of);
  if (other == places_.end()) return moved;
  const auto found = line_.find(other->second);
  return where == Where::before ? found : std::next(found);
}

bool WaitingLine::has_room_before(Line::iterator next) {
  const bool is_border = next == line_.begin() || next == line_.end();
  return is_border || next->first - std::prev(next)->first > 1;
}

WaitingLine::Label WaitingLine::label_before(Line::iterator next, Where where) {
  if (next == line_.begin()) return next->first - kStep;
  if (next == line_.end()) return std::prev(next)->first + kStep;
  const Label gap = next->first - std::prev(next)->first;
  // The next one that comes to the front stands before this one: nearly all of the room is for it.
  if (where == Where::front) return next->first - std::max<Label>(gap >> 16, 1);
  return next->first - gap / 2;
}

void WaitingLine::relabel(Line::iterator job, Label label) {
  auto node = line_.extract(job);
  std::set<Label>& beside = queues_[node.mapped().queue];
  beside.erase(node.key());
  beside.insert(label);
  places_[node.mapped().job] = label;
  node.key() = label;
  line_.insert(std::move(node));
}

/// Gives each job room again. It takes some eighty moves to one place to use that up, and the
/// governor refuses the sixty-fifth or so.
void WaitingLine::spread() {
  Line before = std::exchange(line_, {});
  places_.clear();
  queues_.clear();
  for (auto& [label, each] : before) come(each.index, each.job, each.queue);
}

}  // namespace sluice::cli
