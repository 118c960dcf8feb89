#pragma once

#include <string>

#include "sluice/units.h"

namespace sluice {

/// The names used with statsd: Sluice's own, or those that Zuul's dashboards plot.
enum class StatsdNames { sluice, zuul };

/// Where metrics go in addition to `/metrics`.
struct StatsdOptions {
  std::string address;  ///< "HOST:PORT"; empty for no statsd.
  StatsdNames names = StatsdNames::sluice;
  /// Prefix of every name, joined with a dot; empty for none. "{host}" in it becomes the host's
  /// name, which distinguishes executors that share one statsd.
  std::string prefix;
  Duration every = std::chrono::seconds(10);  ///< Interval between flushes; >= 1s.
};

}  // namespace sluice
