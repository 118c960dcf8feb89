#include "governor/starting.h"

#include <algorithm>
#include <string>

namespace sluice {

std::int64_t starting_limit(const GovernorOptions& options, std::int64_t running) {
  return std::max<std::int64_t>(options.starting_most - running, options.starting_floor);
}

Reading starting_reading(const GovernorOptions& options, std::int64_t starting,
                         std::int64_t running) {
  const std::int64_t limit = std::max<std::int64_t>(starting_limit(options, running), 1);
  Condition condition;
  condition.name = "starting";
  condition.value = static_cast<double>(starting);
  condition.limit = static_cast<double>(limit);
  condition.unit = Unit::count;
  condition.pressure = std::min(condition.value / *condition.limit, 100.0);
  Reading reading;
  reading.conditions.push_back(condition);
  reading.sentence = std::to_string(starting) + " of at most " + std::to_string(limit) +
                     " jobs in set-up, " + std::to_string(running) + " running";
  return reading;
}

}  // namespace sluice
