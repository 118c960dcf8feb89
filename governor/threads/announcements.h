#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "governor/law/registration.h"
#include "sluice/governor.h"

namespace sluice {

/// Calls the listener's events and the work sources. Each function belongs to one thread at a time;
/// call none with the governor's mutex held.
class Announcements {
 public:
  /// Throws std::invalid_argument if a work source is null.
  Announcements(GovernorEvents events, std::vector<std::shared_ptr<WorkSource>> work_sources);

  bool wants_sensors() const { return events_.on_sensor != nullptr; }
  void sensors(const std::vector<SensorStatus>& changed) const;
  /// Those that are red or failing from the first reading: they have not changed, but the operator
  /// must hear about them.
  void troubled(const std::vector<SensorStatus>& sensors) const;

  /// A change by an operator.
  void window(const WindowChange& change) const;
  /// A change by the law. Under `knee` the size may change four times a second, so small steps are
  /// gathered; the other laws act in rounds.
  void window(WindowChange change, Law law);

  /// `reason`: why no work is accepted, or "open".
  void registration(const RegistrationStep& step, const std::string& reason);

 private:
  const GovernorEvents events_;
  const std::vector<std::shared_ptr<WorkSource>> work_sources_;
  std::optional<WindowChange> reported_;
  bool is_registered_ = false;
};

}  // namespace sluice
