#include "governor/threads/announcements.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "governor/law/knee.h"

namespace sluice {

Announcements::Announcements(GovernorEvents events,
                             std::vector<std::shared_ptr<WorkSource>> work_sources)
    : events_(std::move(events)), work_sources_(std::move(work_sources)) {
  const auto null = std::ranges::find(work_sources_, nullptr);
  if (null == work_sources_.end()) return;
  throw std::invalid_argument("work_sources[" + std::to_string(null - work_sources_.begin()) +
                              "] is null");
}

void Announcements::sensors(const std::vector<SensorStatus>& changed) const {
  for (const SensorStatus& sensor : changed) events_.on_sensor(sensor);
}

void Announcements::troubled(const std::vector<SensorStatus>& sensors) const {
  if (!events_.on_sensor) return;
  for (const SensorStatus& sensor : sensors) {
    if (sensor.red || !sensor.up) events_.on_sensor(sensor);
  }
}

void Announcements::window(const WindowChange& change) const {
  if (events_.on_window) events_.on_window(change);
}

void Announcements::window(WindowChange change, Law law) {
  if (law == Law::knee) {
    if (!is_worth_reporting(reported_, change)) return;
    if (reported_) change.from = reported_->to;
    reported_ = change;
  }
  window(change);
}

void Announcements::registration(const RegistrationStep& step, const std::string& reason) {
  if (!step.changed) return;
  const bool registered = step.state.registered;
  if (events_.on_accepting) events_.on_accepting(registered, reason);
  const bool was_registered = std::exchange(is_registered_, registered);
  for (const auto& source : work_sources_) {
    if (registered) source->register_for_work();
    if (!registered && was_registered) source->deregister(reason);
  }
}

}  // namespace sluice
