#include "record/entry.h"

#include <array>

namespace sluice::record {

std::string_view type_name(const Entry& entry) {
  constexpr std::array<std::string_view, std::variant_size_v<Entry>> kNames{
      "segment", "gap",    "daemon", "job_submitted", "job_waits",  "job_started", "job_finished",
      "window",  "sensor", "level",  "pressures",     "configured", "call",        "job_changed"};
  return kNames[entry.index()];
}

}  // namespace sluice::record
