#pragma once

#include <string>
#include <utility>

#include "sluice/status.h"

namespace sluice::cli {

/// A sensor with a fresh reading, red from a pressure of 1 on.
inline SensorStatus example_sensor(std::string name, double pressure, std::string sentence) {
  SensorStatus status;
  status.name = std::move(name);
  status.up = status.fresh = true;
  status.red = pressure >= 1;
  status.reading.emplace();
  status.reading->conditions.push_back({"c", pressure, 1.0, std::nullopt, Unit::ratio, pressure});
  status.reading->sentence = std::move(sentence);
  return status;
}

/// A host with 30 of 40 points in use, and memory that `where` limits.
inline Status example_status(std::string where) {
  Status status;
  status.now = TimePoint(std::chrono::seconds(100));
  status.size = Points{40};
  status.usage = Points{30};
  status.minimum = Points{10};
  status.maximum = Points{200};
  status.threshold = Points{30};
  status.memory =
      MemoryStatus{std::move(where),    Bytes{4ULL << 30}, Bytes{2ULL << 30},  Bytes{3ULL << 30},
                   Bytes{256ULL << 20}, Bytes{1ULL << 30}, Bytes{128ULL << 20}};
  return status;
}

}  // namespace sluice::cli
