#include "costmodel/formula.h"

#include <algorithm>
#include <cstdint>

namespace sluice {

Points formula(const CostOptions& options, int inventory) {
  // per_node and inventory are both below 2^31: the product cannot overflow.
  const auto nodes = std::max<std::int64_t>(inventory, 0);
  const Points predicted{options.base.value + options.per_node.value * nodes};
  return std::clamp(predicted, *settle(options, Law::adaptive).minimum, kMostPoints);
}

CostModel formula_model(const CostOptions& options) {
  return [options](const JobRequest& job) { return formula(options, job.inventory.value_or(1)); };
}

}  // namespace sluice
