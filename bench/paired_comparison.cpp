#include "paired_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace sluice::model {
namespace {

/// Twice the rank of each by its amount, so that mean ranks are whole.
std::vector<std::size_t> double_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(values[i]); });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() &&
           std::abs(values[order[last + 1]]) == std::abs(values[order[first]])) {
      ++last;
    }
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = first + last + 2;
    first = last + 1;
  }
  return ranks;
}

}  // namespace

double signed_rank_p(std::span<const double> differences) {
  std::vector<double> values;
  std::ranges::copy_if(differences, std::back_inserter(values), [](double d) { return d != 0; });
  if (values.empty()) return 1;
  const std::vector<std::size_t> ranks = double_ranks(values);
  std::size_t positive = 0;
  for (std::size_t i = 0; i < values.size(); ++i) positive += values[i] > 0 ? ranks[i] : 0;
  // The chance of each sum if every sign is a toss.
  std::vector<double> chance(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}));
  chance[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = chance.size(); sum-- > 0;) {
      chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
    }
  }
  return std::accumulate(chance.begin() + static_cast<std::ptrdiff_t>(positive), chance.end(), 0.0);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    most = std::max(most, p[order[i]] * static_cast<double>(order.size() - i));
    corrected[order[i]] = std::min(1.0, most);
  }
  return corrected;
}

}  // namespace sluice::model
