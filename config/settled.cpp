#include "config/settled.h"

#include "base/text.h"
#include "base/values.h"

namespace sluice {

SettledDefault settled_window_default(const Config& config, PointsSpec WindowSizes::*part,
                                      const std::string& fallback) {
  const WindowSizes sizes = settle_sizes(config.governing.window, config.cpus);
  const std::string value = print_points(sizes.*part);
  const WindowOptions& window = config.governing.window;
  const bool by_law = part == &WindowSizes::threshold && !window.threshold;
  if (by_law && window.law == Law::adaptive) return {value, "default for adaptive"};
  if (by_law && window.law == Law::rfc) return {value, "default"};
  return {value, value == fallback ? "default" : "default, adjusted to the given values"};
}

SettledDefault settled_for_cpus(int value, const Config& config) {
  return {std::to_string(value), "default for " + cpus_text(config.cpus)};
}

}  // namespace sluice
