#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/service_facts.h"
#include "sluice/status.h"

namespace sluice {

/// A family's name is written out in full wherever one is made, so that a search finds it.
using Families = std::vector<prometheus::MetricFamily>;

/// Name and raw value; the value is made fit for the page when the sample is added.
using Labels = std::vector<std::pair<std::string, std::string_view>>;

/// One family of gauges or counters, filled sample by sample. What is not a finite number is left
/// out, for absent is what an unknown value is on a page. Of two samples with the same labels only
/// the first stays, since Prometheus would reject the page as a whole. Samples come out sorted by
/// labels.
class Samples {
 public:
  Samples(std::string name, std::string help, prometheus::MetricType type);

  Samples& add(const Labels& labels, double value);

  /// The finished family; without samples where none was added.
  prometheus::MetricFamily take() &&;

 private:
  prometheus::MetricFamily family_;
};

Samples gauges(std::string name, std::string help);
Samples counters(std::string name, std::string help);

/// A family of one sample without labels.
prometheus::MetricFamily gauge(std::string name, std::string help, double value);
prometheus::MetricFamily counter(std::string name, std::string help, double value);

/// A family of one histogram; `counts` has one element more than `bounds` and is not cumulative.
prometheus::MetricFamily histogram(std::string name, std::string help, const Labels& labels,
                                   std::span<const double> bounds,
                                   std::span<const std::uint64_t> counts, double sum);

/// Whole and fractional seconds of a duration.
double seconds(Duration duration);

/// The families of all queues, and of all resource managers.
void append_queues(Families& families, const Status& status);
void append_resources(Families& families, const Status& status);

/// The families of all sensors. `now_unix` is the Unix time of `status.now`.
void append_sensors(Families& families, const Status& status, double now_unix);

}  // namespace sluice
