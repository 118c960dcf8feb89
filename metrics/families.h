#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The code spells out the name of each family where it makes one, so a search finds it.
using Families = std::vector<prometheus::MetricFamily>;

/// Name and raw value; adding a sample makes the value valid for the page.
using Labels = std::vector<std::pair<std::string, std::string_view>>;

/// One family of gauges or counters, filled sample by sample. Omits values that are not finite,
/// since an unknown value is absent from the page. Keeps only the first of two samples with equal
/// labels, since Prometheus would reject the whole page. Sorts samples by labels.
class Samples {
 public:
  Samples(std::string name, std::string help, prometheus::MetricType type);

  Samples& add(const Labels& labels, double value);

  /// The finished family; has no samples if none was added.
  prometheus::MetricFamily to_family() &&;

 private:
  prometheus::MetricFamily family_;
};

Samples gauges(std::string name, std::string help);
Samples counters(std::string name, std::string help);

/// A family of one sample without labels.
prometheus::MetricFamily gauge(std::string name, std::string help, double value);
prometheus::MetricFamily counter(std::string name, std::string help, double value);

/// A family of one histogram. `counts` has one more element than `bounds` and is not cumulative.
prometheus::MetricFamily histogram(std::string name, std::string help, const Labels& labels,
                                   std::span<const double> bounds,
                                   std::span<const std::uint64_t> counts, double sum);

}  // namespace sluice
