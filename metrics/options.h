#pragma once

#include <string>

#include "sluice/units.h"

namespace sluice {

/// Which names statsd gets: ours, or those that Zuul's dashboards plot.
enum class StatsdNames { sluice, zuul };

/// Where metrics go besides `/metrics`.
struct StatsdOptions {
  std::string address;  ///< "HOST:PORT"; empty: no statsd.
  StatsdNames names = StatsdNames::sluice;
  /// Put in front of every name, with a dot; empty: none. "{host}" in it becomes the host's name,
  /// which keeps executors apart that share one statsd.
  std::string prefix;
  Duration every = std::chrono::seconds(10);  ///< Between two sends; >= 1s.
};

}  // namespace sluice
