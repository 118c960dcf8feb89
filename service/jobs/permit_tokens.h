#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/permit_variables.h"
#include "sluice/units.h"

namespace sluice {

/// Tokens by which a job's command proves that it works on that job's permit. Nobody can make one
/// without the secret.
class PermitTokens {
 public:
  /// Draws a random secret. Throws std::runtime_error if this host provides no random bytes.
  PermitTokens();

  /// Takes over the secret behind the tokens that commands already have; false if it is not a
  /// secret.
  bool take_secret(std::string_view secret);
  /// Printable; store it where nobody else can read it.
  std::string secret() const;

  /// The job's token, always the same; printable, without blanks.
  std::string token_of(JobId job) const;
  /// The job that the token was made for; nullopt if it was not made with this secret.
  std::optional<JobId> job_of(std::string_view token) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace sluice
