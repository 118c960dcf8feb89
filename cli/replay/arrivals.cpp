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
    const std::set<std::size_t> stay = longest_ascending(numbers);
    for (std::size_t at = 0; at < jobs.size(); ++at) {
      if (!stay.contains(numbers[at])) moves.push_back({jobs[at], jobs[at == 0 ? 0 : at - 1]});
    }
  }
  return moves;
}

}  // namespace sluice::cli
