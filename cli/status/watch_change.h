#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// The object that `sluice status --json` prints, from the daemon's answers to GET /v1/status and
/// GET /v1/jobs. `further`: the sockets of the user's further daemons; nullopt if the user named
/// one.
std::string status_object(std::string_view status_json, std::string_view jobs_json,
                          const std::optional<std::vector<std::string>>& further);

/// `sluice status --watch --json`: one object per change, not per sample.
class WatchChanges {
 public:
  /// The `status_object` for one sample of the daemon; nullopt if only times, readings and reserved
  /// memory have changed. Throws std::runtime_error if the answers do not match the API.
  std::optional<std::string> observe(
      std::string_view status_json, std::string_view jobs_json,
      const std::optional<std::vector<std::string>>& further = std::nullopt);

  /// The same for a daemon that does not answer: one object for each outage.
  std::optional<std::string> lost(std::string_view why);

 private:
  std::string last_;
};

}  // namespace sluice::cli
