#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/families.h"

namespace sluice {

/// `raw` as one part of a statsd name: everything but letters, digits, '_' and '-' becomes '_',
/// since some statsd servers use the other characters to separate names, values, types or tags.
std::string statsd_part(std::string_view raw);

/// The common prefix of all names with its dot, or empty; see `StatsdOptions::prefix`.
std::string statsd_prefix(std::string_view prefix, std::string_view host);

/// Collects lines and packs them into datagrams. Names are passed without the common base.
class StatsdLines {
 public:
  /// Prepends `base` to every name unchanged.
  explicit StatsdLines(std::string base) : base_(std::move(base)) {}

  void gauge(std::string_view name, MetricValue given);

  /// The increase from `previous` to `now`; all of `now` if it is smaller, since then the counter
  /// was reset.
  void counter(std::string_view name, std::uint64_t now, std::uint64_t previous);

  std::vector<std::string> take_datagrams() && { return std::move(datagrams_); }

 private:
  void append(std::string_view lines);

  std::string base_;
  std::vector<std::string> datagrams_;
};

}  // namespace sluice
