#include "service/jobs/permit_tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <charconv>
#include <span>
#include <stdexcept>

namespace sluice {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

}  // namespace

PermitTokens::PermitTokens() {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1) {
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

std::string PermitTokens::secret() const { return hexadecimal(secret_); }

std::string PermitTokens::token_of(JobId job) const {
  constexpr std::size_t kBytes = 16;
  std::string token = std::to_string(job.value);
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(token.data()), token.size(), code.data(), nullptr);
  return token + '.' + hexadecimal(std::span(code).first<kBytes>());
}

std::optional<JobId> PermitTokens::job_of(std::string_view token) const {
  JobId job;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, job.value);
  if (error != std::errc{} || end == last || *end != '.') return std::nullopt;
  const std::string expected = token_of(job);
  const bool is_ours = expected.size() == token.size() &&
                       CRYPTO_memcmp(expected.data(), token.data(), token.size()) == 0;
  return is_ours ? std::optional(job) : std::nullopt;
}

}  // namespace sluice
