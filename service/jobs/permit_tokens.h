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
/// without the secret.
class PermitTokens {
 public:
  /// With a secret that is drawn at random. Throws std::runtime_error where this host has none.
  PermitTokens();

  /// Takes the secret of the object that made the tokens which commands have; false: it is none.
  bool take_secret(std::string_view secret);
  /// To be kept where nobody else can read it: printable.
  std::string secret() const;

  /// The same for the same job: printable, without blanks.
  std::string token_of(JobId job) const;
  /// The job that the token was made for; none: it was not made by this object.
  std::optional<JobId> job_of(std::string_view token) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace sluice
