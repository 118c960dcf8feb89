#include "service/api/jobserver_shares.h"

#include <algorithm>
#include <string>

namespace sluice {
namespace {

ApiError too_many(const std::string& which) {
  return {429, "too_many_jobservers",
          "too many jobservers: " + which +
              "; wait until some have ended, or let the daemon open more files (systemd: "
              "LimitNOFILE=)"};
}

}  // namespace

std::optional<ApiError> JobserverShares::refuse(const Asker& asker) const {
  const std::string all = std::to_string(most_);
  if (open_.size() >= most_)
    return too_many("all " + all + " that this daemon has room for are open");
  if (asker.standing == Role::trusted || !asker.user) return std::nullopt;
  const auto own = static_cast<std::size_t>(
      std::ranges::count_if(open_, [&](const auto& each) { return each.second == asker.user; }));
  if (own < most_ - most_ / 2) return std::nullopt;
  return too_many("user " + std::to_string(*asker.user) + " has " + std::to_string(own) +
                  " of the " + all + " that this daemon has room for, the most for one user");
}

}  // namespace sluice
