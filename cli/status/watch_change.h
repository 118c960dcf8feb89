#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

/// `sluice status --watch --json`: one object for each change, not for each look.
class WatchChanges {
 public:
  /// The object for a look at the daemon, from its answers to GET /v1/status and GET /v1/jobs; none
  /// where nothing has changed but times, readings and what is kept of the memory. Throws
  /// std::runtime_error if the answers are not what the API promises.
  std::optional<std::string> look(std::string_view status_json, std::string_view jobs_json);

  /// Likewise where it does not answer: once.
  std::optional<std::string> lost(std::string_view why);

 private:
  std::string last_;
};

}  // namespace sluice::cli
