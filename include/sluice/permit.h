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

/// The right to run one job. Move-only; returned exactly once: by `release`, by its destructor,
/// or by being assigned over, whichever comes first, from any thread, also after the governor
/// was destroyed. One permit object is not to be used from two threads at once.
class Permit {
 public:
  Permit() = default;
  Permit(Permit&& other) noexcept;
  Permit& operator=(Permit&& other) noexcept;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit();

  /// Gives the points back. Does nothing for a permit that was released or moved from.
  void release(Outcome outcome = Outcome::ok);

  /// The set-up of the job is over; see `JobRequest::reports_started`.
  void started();

  /// The memory the job holds now, for what is kept free for it and others. As a rule several
  /// times a second.
  void measured(const JobUsage& usage);

  /// Whether this still holds the right to run.
  explicit operator bool() const { return state_ != nullptr; }

  JobId id() const { return id_; }
  Points cost() const { return cost_; }

  /// The items of discrete managers that this job was given, by manager; as a rule empty.
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

/// What asking for admission gives: the permit, or why not.
using Admission = std::variant<Permit, Refusal>;

}  // namespace sluice
