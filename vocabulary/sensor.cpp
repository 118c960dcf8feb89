#include "sluice/sensor.h"

#include "base/enum_names.h"

namespace sluice {

std::string_view to_string(Acts acts) { return acts == Acts::congestion ? "congestion" : "gate"; }

std::string_view to_string(OnError on_error) {
  static constexpr EnumNames<OnError::ignore> kNames{"hold", "red", "green", "ignore"};
  return kNames.of(on_error);
}

}  // namespace sluice
