#include "costmodel/formula.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace sluice {

namespace {

/// `options` are settled.
Points settled_formula(const CostOptions& options, int inventory) {
  // per_node and inventory are both below 2^31: the product cannot overflow.
  const auto nodes = std::max<std::int64_t>(inventory, 0);
  const Points predicted{options.base.value + options.per_node.value * nodes};
  return std::clamp(predicted, *options.minimum, kMostPoints);
}

void check_points(const char* field, std::optional<Points> points, Points least) {
  if (!points || (*points >= least && *points <= kMostPoints)) return;
  throw std::invalid_argument(std::string(field) + " must be from " + std::to_string(least.value) +
                              " to " + std::to_string(kMostPoints.value) + " points, not " +
                              std::to_string(points->value));
}

}  // namespace

void check_cost(const CostOptions& options) {
  check_points("cost.base", options.base, Points{0});
  check_points("cost.per_node", options.per_node, Points{0});
  check_points("cost.minimum", options.minimum, Points{1});
}

Points formula(const CostOptions& options, int inventory) {
  return settled_formula(settle(options, Law::adaptive), inventory);
}

bool learns(const CostOptions& options, Law law) {
  using Model = CostOptions::Model;
  return options.model.value_or(law == Law::rfc ? Model::formula : Model::history) ==
         Model::history;
}

CostModel formula_model(const CostOptions& options) {
  return [settled = settle(options, Law::adaptive)](const JobRequest& job) {
    return settled_formula(settled, job.inventory.value_or(1));
  };
}

}  // namespace sluice
