#include "metrics/statsd_lines.h"

#include <array>
#include <charconv>
#include <cmath>

#include "metrics/statsd.h"

namespace sluice {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// At most six decimals and no exponent, which some statsd servers cannot parse.
std::string to_text(double value) {
  std::array<char, 400> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::fixed, 6);
  std::string text(buffer.data(), end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string statsd_part(std::string_view raw) {
  std::string part(raw);
  for (char& c : part) c = is_plain(c) ? c : '_';
  return part;
}

std::string statsd_prefix(std::string_view prefix, std::string_view host) {
  constexpr std::string_view kHost = "{host}";
  std::string out;
  while (!prefix.empty()) {
    const bool is_host = prefix.starts_with(kHost);
    const char c = prefix[0];
    out += is_host ? statsd_part(host) : std::string(1, is_plain(c) || c == '.' ? c : '_');
    prefix.remove_prefix(is_host ? kHost.size() : 1);
  }
  if (!out.empty() && out.back() != '.') out += '.';
  return out;
}

void StatsdLines::gauge(std::string_view name, MetricValue given) {
  if (!std::isfinite(given.value)) return;
  const std::string text = to_text(given.value);
  const std::string start = base_ + std::string(name) + ":";
  // A leading sign makes a gauge relative, so a negative value is sent after a 0.
  const std::string zero = text[0] == '-' ? start + "0|g\n" : "";
  append(zero + start + text + "|g");
}

void StatsdLines::counter(std::string_view name, std::uint64_t now, std::uint64_t previous) {
  const std::uint64_t added = now < previous ? now : now - previous;
  append(base_ + std::string(name) + ":" + std::to_string(added) + "|c");
}

void StatsdLines::append(std::string_view lines) {
  if (lines.size() > kMostStatsdBytes) return;
  if (datagrams_.empty() || datagrams_.back().size() + 1 + lines.size() > kMostStatsdBytes) {
    datagrams_.emplace_back(lines);
    return;
  }
  (datagrams_.back() += '\n') += lines;
}

}  // namespace sluice
