#include "service/permit_tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <charconv>
#include <stdexcept>

namespace sluice {

PermitTokens::PermitTokens() {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1) {
    throw std::runtime_error("this host gives no random bytes");
  }
}

std::string PermitTokens::token_of(JobId job) const {
  constexpr std::size_t kBytes = 16;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string token = std::to_string(job.value);
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(token.data()), token.size(), code.data(), nullptr);
  token += '.';
  for (std::size_t at = 0; at < kBytes; ++at) {
    token += kDigits[code[at] >> 4];
    token += kDigits[code[at] & 0xf];
  }
  return token;
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
