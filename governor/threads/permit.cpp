#include "sluice/permit.h"

#include <utility>

#include "governor/threads/governor_state.h"

namespace sluice {

Permit::Permit(std::shared_ptr<GovernorState> state, JobId id, Points cost, std::uint32_t slot,
               std::vector<HeldItems> items)
    : state_(std::move(state)), id_(id), cost_(cost), slot_(slot), items_(std::move(items)) {}

Permit::Permit(Permit&& other) noexcept = default;

Permit& Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  release();
  state_ = std::move(other.state_);
  id_ = other.id_;
  cost_ = other.cost_;
  slot_ = other.slot_;
  items_ = std::move(other.items_);
  return *this;
}

Permit::~Permit() { release(); }

void Permit::release(Outcome outcome) {
  if (const auto state = std::exchange(state_, nullptr)) state->give_back(slot_, outcome);
}

void Permit::started() {
  if (state_) state_->report_started(slot_);
}

void Permit::measured(const JobUsage& usage) {
  if (state_) state_->report_measured(slot_, usage);
}

}  // namespace sluice
