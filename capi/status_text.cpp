#include "capi/status_text.h"

#include <chrono>

#include "base/json_writer.h"
#include "sluice/version.h"
#include "status/status_json.h"

namespace sluice::capi {

std::string status_text(const Status& status) {
  const Instant instant{status.now, std::chrono::system_clock::now()};
  return json_text([&](JsonWriter& json) {
    json.begin_object().member("version", kVersion).member("now", rfc3339(instant.wall));
    write_status(json, status, instant, {});
    json.key("counters").begin_object();
    write_counters(json, status.counters);
    json.end_object().end_object();
  });
}

std::string items_text(const std::vector<HeldItems>& items) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    for (const HeldItems& held : items) json.member(held.manager, held.items);
    json.end_object();
  });
}

std::string explanation_text(const Explanation& explanation, TimePoint now) {
  std::string text;
  for (const std::string& line : to_lines(explanation, now)) {
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace sluice::capi
