#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// Name and raw value; adding a sample makes the value valid for the page.
using Labels = std::vector<std::pair<std::string, std::string_view>>;

struct MetricSample {
  /// "_sum", "_count" or "_bucket" in a histogram, otherwise empty.
  std::string_view suffix;
  /// Name and valid value.
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct Family {
  std::string name, help;
  /// As the page names it: "gauge", "counter" or "histogram".
  std::string_view type;
  std::vector<MetricSample> samples;
};

/// The code spells out the name of each family where it makes one, so a search finds it.
using Families = std::vector<Family>;

/// The page in Prometheus' text format; writes the header of a family without samples too.
std::string text_of(const Families& families);

/// One family of gauges or counters, filled sample by sample. Omits values that are not finite,
/// since an unknown value is absent from the page. Keeps only the first of two samples with equal
/// labels, since Prometheus would reject the whole page. Sorts samples by labels.
class Samples {
 public:
  Samples(std::string name, std::string help, std::string_view type);

  Samples& add(const Labels& labels, double value);

  /// The finished family; has no samples if none was added.
  Family to_family() &&;

 private:
  Family family_;
};

Samples gauges(std::string name, std::string help);
Samples counters(std::string name, std::string help);

/// A family of one sample without labels.
Family gauge(std::string name, std::string help, double value);
Family counter(std::string name, std::string help, double value);

/// A family of one histogram. `counts` has one more element than `bounds` and is not cumulative.
Family histogram(std::string name, std::string help, const Labels& labels,
                 std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum);

}  // namespace sluice
