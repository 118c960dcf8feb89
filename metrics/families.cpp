#include "metrics/families.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/mapped.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::string_view kHistogram = "histogram";

// A zero byte ends the page for Prometheus' lexer; no other control character is useful.
bool is_unwanted(char c) {
  const unsigned byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n') || byte == 0x7F;
}

std::vector<std::pair<std::string, std::string>> valid(const Labels& labels) {
  return mapped(labels, [](auto& each) { return std::pair(each.first, label_value(each.second)); });
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

/// Sorts the samples by labels, and drops all but the first with the same ones.
void order(std::vector<MetricSample>& samples) {
  std::ranges::stable_sort(samples, {}, &MetricSample::labels);
  const auto repeated = std::ranges::unique(samples, {}, &MetricSample::labels);
  samples.erase(repeated.begin(), repeated.end());
}

}  // namespace

std::string label_value(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t length = is_unwanted(raw[0]) ? 0 : utf8_length(raw);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(raw[0]);
      out += "\\x" + hex_digits({&byte, 1});
      raw.remove_prefix(1);
      continue;
    }
    out += raw.substr(0, length);
    raw.remove_prefix(length);
  }
  return out;
}

Family& Family::add(const Labels& labels, MetricValue value) {
  if (std::isfinite(value.value)) samples.push_back({"", valid(labels), value.value});
  return *this;
}

Family& Families::gauges(std::string name, std::string help) {
  return families_.emplace_back(Family{std::move(name), std::move(help), "gauge"});
}

Family& Families::counters(std::string name, std::string help) {
  return families_.emplace_back(Family{std::move(name), std::move(help), "counter"});
}

void Families::gauge(std::string name, std::string help, MetricValue value) {
  gauges(std::move(name), std::move(help)).add({}, value);
}

void Families::counter(std::string name, std::string help, MetricValue value) {
  counters(std::move(name), std::move(help)).add({}, value);
}

void Families::histogram(std::string name, std::string help, std::span<const double> bounds,
                         std::span<const std::uint64_t> counts, double sum) {
  auto& samples =
      families_.emplace_back(Family{std::move(name), std::move(help), kHistogram}).samples;
  if (!std::isfinite(sum)) return;
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ULL));
  samples.push_back({"_count", {}, all});
  samples.push_back({"_sum", {}, sum});
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    const std::string bound = i < bounds.size() ? digits(bounds[i]) : "+Inf";
    samples.push_back({"_bucket", {{"le", bound}}, static_cast<double>(cumulative)});
  }
}

void Families::drop_empty() {
  std::erase_if(families_, [](const Family& family) { return family.samples.empty(); });
}

std::string Families::text() && {
  std::string page;
  for (Family& family : families_) {
    page.append("# HELP ").append(family.name).append(" ").append(family.help) += '\n';
    page.append("# TYPE ").append(family.name).append(" ").append(family.type) += '\n';
    if (family.type != kHistogram) order(family.samples);
    for (const MetricSample& sample : family.samples) {
      page.append(family.name).append(sample.suffix);
      append_labels(page, sample);
      page.append(" ").append(digits(sample.value)) += '\n';
    }
  }
  return page;
}

}  // namespace sluice
