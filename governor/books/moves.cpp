#include "governor/books/moves.h"

#include <algorithm>
#include <iterator>

namespace sluice {
namespace {

using Where = JobChange::Position::Where;

/// The first moved job that is not below the new position.
MovedJobs::const_iterator first_above(const MovedJobs& jobs, Where where, OrderNumber target) {
  if (where == Where::front) return jobs.begin();
  if (where == Where::back) return jobs.end();
  auto above = jobs.lower_bound({target, nullptr});
  while (where == Where::after && above != jobs.end() && above->first == target) ++above;
  return above;
}

/// The order numbers beside a new position, of other jobs than the moved one.
struct Neighbours {
  std::optional<OrderNumber> below, above;

  void add_below(OrderNumber order) { below = std::max(below.value_or(order), order); }
  void add_above(OrderNumber order) { above = std::min(above.value_or(order), order); }
};

void add_moved(const MovedJobs& jobs, const JobMove& move, Neighbours& beside) {
  const auto is_itself = [&](MovedJobs::const_iterator at) {
    return at->second->jobs.front().slot == move.slot;
  };
  const auto border = first_above(jobs, move.where, move.target);
  auto above = border;
  if (above != jobs.end() && is_itself(above)) ++above;
  if (above != jobs.end()) beside.add_above(above->first);
  auto below = border;
  if (below != jobs.begin() && is_itself(std::prev(below))) --below;
  if (below != jobs.begin()) beside.add_below(std::prev(below)->first);
}

/// Jobs that were not moved have their arrivals as order numbers.
void add_unmoved(const ArrivalList& jobs, const std::deque<PendingJob>& all, const JobMove& move,
                 Neighbours& beside) {
  const auto order_at = [&](ArrivalList::Cursor at) { return all[jobs.at(at).slot].order; };
  const auto is_itself = [&](ArrivalList::Cursor at) { return jobs.at(at).slot == move.slot; };
  const auto border = jobs.partition_point([&](const ArrivalList::Item& item) {
    const OrderNumber order = all[item.slot].order;
    return move.where == Where::back || (move.where == Where::before && order < move.target) ||
           (move.where == Where::after && order <= move.target);
  });
  auto above = border;
  if (!jobs.at_end(above) && is_itself(above)) above = jobs.next(above);
  if (!jobs.at_end(above)) beside.add_above(order_at(above));
  auto below = jobs.previous(border);
  if (below && is_itself(*below)) below = jobs.previous(*below);
  if (below) beside.add_below(order_at(*below));
}

}  // namespace

std::optional<OrderNumber> number_of_move(const Tiers& tiers, const std::deque<PendingJob>& jobs,
                                          const JobMove& move) {
  Neighbours beside;
  for (const auto& [minus_priority, tier] : tiers) {
    for (const auto& [key, bucket] : tier.buckets) {
      add_moved(bucket.alone, move, beside);
      for (const auto& [arrival, strand] : bucket.strands) {
        add_unmoved(strand->jobs, jobs, move, beside);
      }
    }
  }
  const OrderNumber own = jobs[move.slot].order;
  const bool is_there =
      (!beside.below || *beside.below < own) && (!beside.above || own < *beside.above);
  return is_there ? std::optional(own) : number_between(beside.below, beside.above);
}

}  // namespace sluice
