#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

class GovernorState;

/// The right to run one job. Move-only. Returned exactly once, by the first of `release`,
/// assignment or destruction, from any thread, even after the governor is gone. One permit object
/// must not be used from two threads at once.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept;
  Permit& operator=(Permit&& other) noexcept;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit();

  /// Returns the points. Does nothing if the permit was released or moved from.
  void release(Outcome outcome = Outcome::ok);

  /// Reports the end of the job's set-up; see `JobRequest::reports_started`.
  void started();

  /// Reports the job's current usage, from which the memory reserved for it and other jobs follows.
  /// Usually called several times a second.
  void measured(const JobUsage& usage);

  /// True while this object holds the right to run.
  explicit operator bool() const { return state_ != nullptr; }

  JobId id() const { return id_; }
  Points cost() const { return cost_; }

  /// The items of discrete managers assigned to this job, by manager; usually empty.
  const std::vector<HeldItems>& items() const { return items_; }

 private:
  friend class GovernorState;
  Permit(std::shared_ptr<GovernorState> state, JobId id, Points cost, std::uint32_t slot,
         std::vector<HeldItems> items = {});

  std::shared_ptr<GovernorState> state_;
  JobId id_;
  Points cost_;
  std::uint32_t slot_ = 0;
  std::vector<HeldItems> items_;
};

/// Result of a request for admission: the permit, or the reason for refusing it.
using Admission = std::variant<Permit, Refusal>;

}  // namespace sluice
