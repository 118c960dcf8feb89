#include "metrics/families.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "metrics/label_value.h"

namespace sluice {
namespace {

std::vector<std::pair<std::string, std::string>> valid(const Labels& labels) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, value] : labels) result.emplace_back(name, label_value(value));
  return result;
}

/// `value`, which is finite, with at most 16 digits: 17 would show 0.1 as 0.10000000000000001.
std::string digits(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 16);
  return {text.data(), end.ptr};
}

void append_escaped(std::string& page, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') page += '\\';
    if (c == '\n') {
      page += "\\n";
    } else {
      page += c;
    }
  }
}

void append_labels(std::string& page, const MetricSample& sample) {
  if (sample.labels.empty()) return;
  char before = '{';
  for (const auto& [name, value] : sample.labels) {
    (page += before).append(name) += "=\"";
    append_escaped(page, value);
    page += '"';
    before = ',';
  }
  page += '}';
}

}  // namespace

std::string text_of(const Families& families) {
  std::string page;
  for (const Family& family : families) {
    page.append("# HELP ").append(family.name).append(" ").append(family.help) += '\n';
    page.append("# TYPE ").append(family.name).append(" ").append(family.type) += '\n';
    for (const MetricSample& sample : family.samples) {
      page.append(family.name).append(sample.suffix);
      append_labels(page, sample);
      page.append(" ").append(digits(sample.value)) += '\n';
    }
  }
  return page;
}

Samples::Samples(std::string name, std::string help, std::string_view type)
    : family_{std::move(name), std::move(help), type, {}} {}

Samples& Samples::add(const Labels& labels, double value) {
  if (std::isfinite(value)) family_.samples.push_back({"", valid(labels), value});
  return *this;
}

Family Samples::to_family() && {
  auto& samples = family_.samples;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.labels < b.labels; });
  const auto repeated =
      std::unique(samples.begin(), samples.end(),
                  [](const auto& a, const auto& b) { return a.labels == b.labels; });
  samples.erase(repeated, samples.end());
  return std::move(family_);
}

Samples gauges(std::string name, std::string help) {
  return {std::move(name), std::move(help), "gauge"};
}

Samples counters(std::string name, std::string help) {
  return {std::move(name), std::move(help), "counter"};
}

Family gauge(std::string name, std::string help, double value) {
  Samples samples = gauges(std::move(name), std::move(help));
  samples.add({}, value);
  return std::move(samples).to_family();
}

Family counter(std::string name, std::string help, double value) {
  Samples samples = counters(std::move(name), std::move(help));
  samples.add({}, value);
  return std::move(samples).to_family();
}

Family histogram(std::string name, std::string help, const Labels& labels,
                 std::span<const double> bounds, std::span<const std::uint64_t> counts,
                 double sum) {
  Family family{std::move(name), std::move(help), "histogram", {}};
  if (!std::isfinite(sum)) return family;
  std::uint64_t cumulative = 0;
  std::vector<MetricSample> buckets;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    MetricSample bucket{"_bucket", valid(labels), static_cast<double>(cumulative)};
    bucket.labels.emplace_back("le", i < bounds.size() ? digits(bounds[i]) : "+Inf");
    buckets.push_back(std::move(bucket));
  }
  family.samples.push_back({"_count", valid(labels), static_cast<double>(cumulative)});
  family.samples.push_back({"_sum", valid(labels), sum});
  std::move(buckets.begin(), buckets.end(), std::back_inserter(family.samples));
  return family;
}

}  // namespace sluice
