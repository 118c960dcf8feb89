#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// `raw` as a label value that every Prometheus parser accepts: bytes that are not well-formed
/// UTF-8, and control characters other than newline, become "\xHH". Different values stay
/// different. `Families::text` escapes quotes, backslashes and newlines.
std::string label_value(std::string_view raw);

/// Name and raw value; adding a sample makes the value valid for the page.
using Labels = std::vector<std::pair<std::string, std::string_view>>;

/// The value of a sample, made of a number of any kind; true is 1, and false 0.
struct MetricValue {
  MetricValue(auto number) requires(std::is_arithmetic_v<decltype(number)>)
      : value(static_cast<double>(number)) {}
  MetricValue(Points points) : MetricValue(points.value) {}
  MetricValue(Bytes bytes) : MetricValue(bytes.value) {}

  double value;
};

struct MetricSample {
  /// "_sum", "_count" or "_bucket" in a histogram, otherwise empty.
  std::string_view suffix;
  /// Name and valid value.
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

/// One family, filled sample by sample.
struct Family {
  std::string name, help;
  /// As the page names it: "gauge", "counter" or "histogram".
  std::string_view type;
  std::vector<MetricSample> samples = {};

  /// Omits values that are not finite, since an unknown value is absent from the page.
  Family& add(const Labels& labels, MetricValue value);
};

/// A page in the order of the calls. The code spells out the name of each family where it makes
/// one, so a search finds it.
class Families {
 public:
  /// A family without samples; the reference stays valid until `text`.
  Family& gauges(std::string name, std::string help);
  Family& counters(std::string name, std::string help);

  /// A family of one sample without labels.
  void gauge(std::string name, std::string help, MetricValue value);
  void counter(std::string name, std::string help, MetricValue value);

  /// A family of one histogram. `counts` has one more element than `bounds` and is not cumulative.
  void histogram(std::string name, std::string help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum);

  /// Drops the families without samples.
  void drop_empty();

  /// The page in Prometheus' text format; writes the header of a family without samples too. Keeps
  /// only the first of two samples with equal labels, since Prometheus would reject the whole page.
  /// Sorts samples by labels.
  std::string text() &&;

 private:
  std::deque<Family> families_;
};

}  // namespace sluice
