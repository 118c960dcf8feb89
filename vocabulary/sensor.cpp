#include "sluice/sensor.h"

namespace sluice {

std::string_view to_string(Acts acts) { return acts == Acts::congestion ? "congestion" : "gate"; }

std::string_view to_string(OnError on_error) {
  switch (on_error) {
    case OnError::hold:
      return "hold";
    case OnError::red:
      return "red";
    case OnError::green:
      return "green";
    case OnError::ignore:
      return "ignore";
  }
  return "";
}

}  // namespace sluice
