#include "metrics/families.h"

#include <algorithm>
#include <cmath>

#include "metrics/label_value.h"

namespace sluice {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

ClientMetric with_labels(const Labels& labels) {
  ClientMetric metric;
  for (const auto& [name, value] : labels) metric.label.push_back({name, label_value(value)});
  return metric;
}

}  // namespace

Samples::Samples(std::string name, std::string help, MetricType type) {
  family_.name = std::move(name);
  family_.help = std::move(help);
  family_.type = type;
}

Samples& Samples::add(const Labels& labels, double value) {
  if (!std::isfinite(value)) return *this;
  ClientMetric metric = with_labels(labels);
  if (family_.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family_.metric.push_back(std::move(metric));
  return *this;
}

MetricFamily Samples::to_family() && {
  auto& metrics = family_.metric;
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const auto& a, const auto& b) { return a.label < b.label; });
  const auto repeated =
      std::unique(metrics.begin(), metrics.end(),
                  [](const auto& a, const auto& b) { return a.label == b.label; });
  metrics.erase(repeated, metrics.end());
  return std::move(family_);
}

Samples gauges(std::string name, std::string help) {
  return {std::move(name), std::move(help), MetricType::Gauge};
}

Samples counters(std::string name, std::string help) {
  return {std::move(name), std::move(help), MetricType::Counter};
}

MetricFamily gauge(std::string name, std::string help, double value) {
  Samples samples = gauges(std::move(name), std::move(help));
  samples.add({}, value);
  return std::move(samples).to_family();
}

MetricFamily counter(std::string name, std::string help, double value) {
  Samples samples = counters(std::move(name), std::move(help));
  samples.add({}, value);
  return std::move(samples).to_family();
}

MetricFamily histogram(std::string name, std::string help, const Labels& labels,
                       std::span<const double> bounds, std::span<const std::uint64_t> counts,
                       double sum) {
  ClientMetric metric = with_labels(labels);
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    cumulative += counts[i];
    metric.histogram.bucket.push_back({cumulative, bounds[i]});
  }
  metric.histogram.sample_count = cumulative + counts.back();
  metric.histogram.sample_sum = sum;
  MetricFamily family{std::move(name), std::move(help), MetricType::Histogram, {}};
  if (std::isfinite(sum)) family.metric.push_back(std::move(metric));
  return family;
}

}  // namespace sluice
