#include "cli/replay/arrivals.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace sluice::cli {
namespace {

/// Of numbers that differ, those of a longest ascending subsequence.
std::set<std::size_t> longest_ascending(std::span<const std::size_t> numbers) {
  // By length, minus 1: where the subsequence that ends with the least number ends.
  std::vector<std::size_t> ends;
  std::vector<std::size_t> before(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto end = std::ranges::lower_bound(ends, numbers[at], {},
                                              [&](std::size_t each) { return numbers[each]; });
    if (end != ends.begin()) before[at] = *std::prev(end);
    if (end == ends.end()) {
      ends.push_back(at);
    } else {
      *end = at;
    }
  }
  std::set<std::size_t> found;
  for (std::size_t left = ends.size(), at = ends.empty() ? 0 : ends.back(); left > 0; --left) {
    found.insert(numbers[at]);
    at = before[at];
  }
  return found;
}

/// Moves the jobs between the one before and the one behind them: the middle one first, and then
/// each half. A move halves the room for the next one there, of which there is enough for 60 or so.
void move_between(std::size_t before, std::span<const std::size_t> jobs,
                  std::vector<MovedJob>& moves) {
  if (jobs.empty()) return;
  const std::size_t middle = jobs.size() / 2;
  moves.push_back({jobs[middle], before});
  move_between(before, jobs.first(middle), moves);
  move_between(jobs[middle], jobs.subspan(middle + 1), moves);
}

/// Before all that stay there is room for any number, each before the last one.
void move_to_front(std::span<const std::size_t> jobs, std::vector<MovedJob>& moves) {
  for (std::size_t at = jobs.size(); at > 0; --at) moves.push_back({jobs[at - 1], jobs[at - 1]});
}

/// Moves the jobs of one queue, but for those that stay.
void move_but(const std::set<std::size_t>& stay, std::span<const std::size_t> jobs,
              std::span<const std::size_t> arrivals, std::vector<MovedJob>& moves) {
  const auto stays = [&](std::size_t job) { return stay.contains(arrivals[job]); };
  for (auto from = jobs.begin(); from != jobs.end();) {
    const auto end = std::find_if(from, jobs.end(), stays);
    from == jobs.begin() ? move_to_front({from, end}, moves)
                         : move_between(*std::prev(from), {from, end}, moves);
    from = std::find_if_not(end, jobs.end(), stays);
  }
}

}  // namespace

std::vector<std::size_t> by_arrival(std::span<const ScenarioJob> line) {
  std::vector<std::size_t> places(line.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater<>(),
                           [&](std::size_t place) { return line[place].waited; });
  return places;
}

std::vector<MovedJob> moves_into_line(std::span<const ScenarioJob> line,
                                      std::span<const std::string> queues) {
  std::vector<std::size_t> arrivals(line.size());
  const std::vector<std::size_t> places = by_arrival(line);
  for (std::size_t at = 0; at < places.size(); ++at) arrivals[places[at]] = at;
  std::map<std::string, std::vector<std::size_t>> lines;
  for (std::size_t place = 0; place < line.size(); ++place) lines[queues[place]].push_back(place);
  std::vector<MovedJob> moves;
  for (const auto& [queue, jobs] : lines) {
    std::vector<std::size_t> numbers;
    for (const std::size_t job : jobs) numbers.push_back(arrivals[job]);
    move_but(longest_ascending(numbers), jobs, arrivals, moves);
  }
  return moves;
}

}  // namespace sluice::cli
