#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

/// `sluice status --watch --json`: one object per change, not per sample.
class WatchChanges {
 public:
  /// The object for one sample of the daemon, from its answers to GET /v1/status and GET /v1/jobs;
  /// nullopt if only times, readings and reserved memory have changed. Throws std::runtime_error if
  /// the answers do not match the API.
  std::optional<std::string> observe(std::string_view status_json, std::string_view jobs_json);

  /// The same for a daemon that does not answer: one object for each outage.
  std::optional<std::string> lost(std::string_view why);

 private:
  std::string last_;
};

}  // namespace sluice::cli
