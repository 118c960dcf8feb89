#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sluice/reading.h"
#include "sluice/units.h"

namespace sluice {

/// The effect of a red sensor. `congestion`: stops admission and cuts the window; its headroom
/// limits growth. `gate`: stops admission and freezes the window.
enum class Acts { congestion, gate };

/// How a sensor counts while it cannot be read or its reading is older than `max_age`. `hold`: as
/// its last verdict, and the window does not grow. `red`, `green`: as such. `ignore`: as if it did
/// not exist.
enum class OnError { hold, red, green, ignore };

/// How a sensor's readings are judged.
struct SensorPolicy {
  Acts acts = Acts::gate;
  /// Red at pressure >= 1, green again only below this; (0, 1]; 1 disables hysteresis.
  double resume = 0.9;
  OnError on_error = OnError::hold;
  Duration max_age = std::chrono::seconds(10);  ///< > 0
};

/// A sensor measures one thing. `measure` must not block (if it can, wrap it with `in_worker` of
/// sluice/in_worker.h) and may throw: an exception counts as a failed read with its text. It runs
/// on the window thread, and once on the thread that constructs or reloads the governor; a reload
/// may call it while the sensors it replaces are still being read.
struct Sensor {
  std::string name;  ///< Unique within a governor; [a-z0-9_]+.
  SensorPolicy policy;
  std::function<Measurement(TimePoint now)> measure;
};

std::string_view to_string(Acts acts);
std::string_view to_string(OnError on_error);

}  // namespace sluice
