#include "service/jobs/permit_tokens.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

#include <charconv>
#include <stdexcept>

#include "base/text.h"

namespace sluice {

PermitTokens::PermitTokens() {
  if (getrandom(secret_.data(), secret_.size(), 0) != static_cast<ssize_t>(secret_.size())) {
    throw std::runtime_error("cannot read random bytes on this host");
  }
}

bool PermitTokens::take_secret(std::string_view secret) {
  std::array<unsigned char, 32> taken{};
  if (secret.size() != taken.size() * 2) return false;
  for (std::size_t at = 0; at < taken.size(); ++at) {
    const char* const digits = secret.data() + 2 * at;
    const auto [end, error] = std::from_chars(digits, digits + 2, taken[at], 16);
    if (error != std::errc{} || end != digits + 2) return false;
  }
  secret_ = taken;
  return true;
}

std::string PermitTokens::secret() const { return hex_digits(secret_); }

std::string PermitTokens::token_of(JobId job) const {
  constexpr std::size_t kBytes = 16;
  std::string token = std::to_string(job.value);
  std::array<unsigned char, kBytes> code{};
  hmac_sha256_ctx context{};
  hmac_sha256_set_key(&context, secret_.size(), secret_.data());
  hmac_sha256_update(&context, token.size(), reinterpret_cast<const unsigned char*>(token.data()));
  hmac_sha256_digest(&context, code.size(), code.data());
  return token + '.' + hex_digits(code);
}

std::optional<JobId> PermitTokens::job_of(std::string_view token) const {
  JobId job;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, job.value);
  if (error != std::errc{} || end == last || *end != '.') return std::nullopt;
  const std::string expected = token_of(job);
  const bool is_ours = expected.size() == token.size() &&
                       memeql_sec(expected.data(), token.data(), token.size()) != 0;
  return is_ours ? std::optional(job) : std::nullopt;
}

}  // namespace sluice
