#include "cli/permit/outer_permit.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

#include "base/parse.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

std::optional<std::uint64_t> number_in(const char* text) {
  const auto number = text ? parse_u64(text) : std::nullopt;
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

std::optional<OuterPermit> outer_permit(const std::function<const char*(const char*)>& variable) {
  const auto points = number_in(variable(kPermitPoints));
  if (!points) return std::nullopt;
  OuterPermit permit;
  const auto most = static_cast<std::uint64_t>(kMostPoints.value);
  permit.points = Points{static_cast<std::int64_t>(std::min(*points, most))};
  if (const auto memory = number_in(variable(kPermitMemory))) permit.memory = Bytes{*memory};
  if (const char* socket = variable(kPermitSocket)) permit.socket = socket;
  return permit;
}

std::optional<OuterPermit> outer_permit() {
  return outer_permit([](const char* name) -> const char* { return std::getenv(name); });
}

void add_parent(boost::json::object& body) {
  body["parent"] = printable(environment_text(kPermitVariable));
}

void tell(const OuterPermit& permit, std::map<std::string, std::string>& environment) {
  environment[kPermitPoints] = std::to_string(permit.points.value);
  environment[kPermitMemory] = permit.memory ? std::to_string(permit.memory->value) : "";
  environment[kPermitSocket] = permit.socket;
}

void hold_to(const OuterPermit& permit, GovernorOptions& options) {
  WindowParameters& window = options.window;
  window.initial = window.minimum = window.maximum = window.threshold = permit.points;
  // The granter has looked at the CPUs.
  options.use_meter = {};
  if (!permit.memory) return;
  // The governor promises all but the reserve, which the granter of this memory already holds back.
  const double limit =
      static_cast<double>(permit.memory->value) / std::max(0.01, 1 - options.reservation.reserve);
  const MemoryLimit ceiling{"its permit", Bytes{static_cast<std::uint64_t>(limit)}, Bytes{0}};
  options.memory_meter = [host = std::move(options.memory_meter), ceiling](TimePoint now) {
    std::vector<MemoryLimit> limits = host ? host(now) : std::vector<MemoryLimit>{};
    limits.push_back(ceiling);
    return limits;
  };
}

Permit adopt(const OuterPermit& permit, Governor& governor) {
  const TimePoint now = Clock::now();
  JobSnapshot outer;
  outer.id = JobId{1};
  outer.cost = permit.points;
  outer.arrived = now;
  outer.admitted = now;
  GovernorSnapshot snapshot;
  snapshot.last = outer.id;
  snapshot.jobs.push_back(std::move(outer));
  auto restored = governor.restore(std::move(snapshot), [](JobId, Admission) {});
  return std::get<Permit>(std::move(restored.front()));
}

}  // namespace sluice::cli
