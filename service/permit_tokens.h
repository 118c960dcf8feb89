#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// The variable that tells a command on whose permit it runs.
inline constexpr const char* kPermitVariable = "SLUICE_PERMIT";

/// Words by which a job's command proves that it works on that job's permit. Nobody can make one
/// without the secret, which is this object's own and drawn at random: no token outlives it.
class PermitTokens {
 public:
  PermitTokens();

  /// The same for the same job: printable, without blanks.
  std::string token_of(JobId job) const;
  /// The job that the token was made for; none: it was not made by this object.
  std::optional<JobId> job_of(std::string_view token) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace sluice
